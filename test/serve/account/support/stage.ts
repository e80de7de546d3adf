import { createHash } from "node:crypto";
import { ConfigProblems } from "../../../../src/config/config.ts";
import { policiesOf } from "../../../../src/config/configured-policies.ts";
import { parseConfigFile } from "../../../../src/config/read-config-file.ts";
import type { AccountOutcome, AccountPassInput, PassDeps } from "../../../../src/serve/account/account-pass.ts";
import type { PassParts, GrantedSettings } from "../../../../src/serve/account/pass-parts.ts";
import { type PassAccount, accountPasses } from "../../../../src/serve/account/pass-account.ts";
import type { ServeEvent } from "../../../../src/serve/serve-events.ts";
import { underFleet } from "../../../../src/serve/fleet/fleet-line.ts";
import type { StackPolicy } from "../../../../src/serve/fleet/fleet.ts";
import { type AccountRecord, type StackRecord, newAccountRecord } from "../../../../src/serve/records.ts";
import { accountWith, defaultPolicy, entryWith, sourceWith } from "../../fleet/fleet-data.ts";
import { MemorySources } from "../../support/memory-sources.ts";
import { MemoryStore } from "../../support/memory-store.ts";
import { SimulatedClock } from "../../support/simulated-clock.ts";
import { SimulatedAccount, knownSecrets } from "./simulated-account.ts";

const place = { file: "fleet.yaml", line: 3, column: 3 };

export const policy = defaultPolicy;
export const source = sourceWith({ git: "/git/edge", place });
export const account = accountWith({ baseUrl: "http://service.example", place });

/** An account, a source and a store in memory, and passes over them. */
export class Stage {
  readonly clock = new SimulatedClock();
  readonly service = new SimulatedAccount(this.clock);
  readonly sources = new MemorySources(() => this.clock.now());
  readonly events: ServeEvent[] = [];
  store = new MemoryStore();
  passAccount: PassAccount;
  /** The stacks of the fleet, each with what differs from the usual. */
  readonly stacks: { readonly name: string; readonly policy?: Partial<StackPolicy>; readonly secrets?: string }[] = [];
  accountRecord: AccountRecord = newAccountRecord("main");
  readonly #files = new Map<string, string>();

  constructor(readonly parts: PassParts = simpleParts) {
    this.passAccount = accountPasses(parts);
  }

  /** A stack of its own directory, with manifests by file name. */
  add(
    name: string,
    manifests: { readonly [file: string]: string },
    more: Partial<Stage["stacks"][number]> & { readonly config?: string } = {},
  ): void {
    const { config = "", ...rest } = more;
    this.stacks.push({ name, ...rest });
    this.#files.set(
      `${name}/edgewise.yaml`,
      `apiVersion: edgewise/v1\nkind: Config\nstack: ${name}\nmanifests: [m/]\n${config}`,
    );
    for (const [file, text] of Object.entries(manifests)) this.#files.set(`${name}/m/${file}`, text);
    this.sources.push("edge", Object.fromEntries(this.#files));
  }

  /** A commit; null removes a file. */
  commit(changes: { readonly [path: string]: string | null }): string {
    for (const [path, text] of Object.entries(changes)) {
      if (text === null) this.#files.delete(path);
      else this.#files.set(path, text);
    }
    return this.sources.push("edge", Object.fromEntries(this.#files));
  }

  /** One pass over all stacks, saved as the loop saves it. */
  async pass(
    changes: {
      readonly deps?: Partial<PassDeps>;
      readonly input?: Partial<AccountPassInput>;
      readonly due?: Partial<AccountPassInput["due"][number]>;
    } = {},
  ): Promise<AccountOutcome> {
    const outcome = await this.unsaved(changes);
    for (const { record, history } of outcome.stacks) {
      await this.store.saveStack(record);
      await this.store.appendHistory(history);
    }
    this.accountRecord = outcome.account;
    return outcome;
  }

  /** One pass whose outcome is lost, as when the process is killed. */
  async unsaved({
    deps = {},
    due = {},
    input = {},
  }: Parameters<Stage["pass"]>[0] & object = {}): Promise<AccountOutcome> {
    const followed = await this.sources.fetch(source, null, new AbortController().signal);
    const commit = followed.followed === null ? null : await this.sources.open(source, followed.followed);
    const { stacks } = await this.store.load();
    return this.passAccount(
      {
        account,
        record: this.accountRecord,
        due: this.stacks.map((stack) => ({
          target: {
            name: stack.name,
            entry: entryWith({
              name: stack.name,
              config: { path: `${stack.name}/edgewise.yaml` },
              stack: stack.name,
              secrets: stack.secrets ?? null,
              policy: { ...policy, ...stack.policy },
              place,
            }),
            config: `${stack.name}/edgewise.yaml`,
            stack: stack.name,
            secrets: stack.secrets ?? null,
          },
          record: stacks.get(stack.name) ?? null,
          commit,
          unfollowed: null,
          ...due,
        })),
        stacks: this.stacks.length,
        ...input,
      },
      {
        clock: this.clock,
        random: () => 0.5,
        store: this.store,
        claim: { assertHeld: async () => this.store.assertHeld(), isHeld: () => true },
        emit: (event) => this.events.push(event),
        connect: this.service.connect,
        paused: false,
        dryRun: false,
        stop: new AbortController().signal,
        hardStop: new AbortController().signal,
        ...deps,
      },
    );
  }

  async recordOf(name: string): Promise<StackRecord> {
    const record = (await this.store.load()).stacks.get(name);
    if (record === undefined) throw new Error(`${name} has no record`);
    return record;
  }

  /** `state` or `state: reason`. */
  async stateOf(name: string): Promise<string> {
    const { reason, state } = (await this.recordOf(name)).status;
    return reason === null ? state : `${state}: ${reason}`;
  }
}

/** Rules that are just enough to try a pass; the real ones have tests of their own. */
export const simpleParts: PassParts = {
  powers: {
    settingsOf: ({ account: from, target, text }) => {
      try {
        const file = parseConfigFile(text, target.config);
        const { document, problem } = file;
        if ((document.previousStacks ?? []).length > 0)
          throw problem(["previousStacks"], "out-of-range", "previousStacks is not allowed", "fleet.yaml:3");
        const settings: GrantedSettings = {
          marker: target.stack ?? document.stack ?? "",
          previousStacks: [],
          patterns: document.manifests ?? [],
          variables: {},
          adopt: {},
          guards: { maxDeletes: null, allow: [] },
          policies: policiesOf(file, null),
          moduleEndpoints: from.moduleEndpoints,
          lock: { wanted: document.lock === true, settleMs: 2000 },
        };
        return { settings };
      } catch (error) {
        if (error instanceof ConfigProblems) return { problems: error.diagnostics };
        throw error;
      }
    },
    refusedOf: (_target, manifests) =>
      manifests.flatMap(({ address, id, source: { file, line } }) => {
        const about = {
          severity: "error" as const,
          code: "fleet-not-allowed",
          remedy: null,
          file,
          line,
          column: 1,
          address,
        };
        return id === null ? [] : [{ ...about, message: `${address} adopts ${id}` }];
      }),
    worded: underFleet,
    secretsOf: async ({ secrets }) => ({
      options: { env: secrets === null ? {} : { KEY: secretText }, redactor: knownSecrets },
      stamp: createHash("sha256")
        .update(secrets ?? "")
        .digest("hex"),
    }),
  },
};

/** A secret with characters that encodings change. */
export const secretText = 'hunter2 "C4n4ry/hook"+&<é>\\ 77';

export function backend(name: string, description: string, more = ""): string {
  return `apiVersion: edgewise/v1\nkind: HTTPResponseBackend\nmetadata: {name: ${name}}\nspec:\n  description: ${description}\n  status_code: 503\n${more}`;
}

/** A manifest of an edge whose policy has a secret, KEY of the stack's own. */
export const edgeWithSecret = `apiVersion: edgewise/v1
kind: TLSEdge
metadata: {name: api}
spec:
  hostports: ["api.example.com:443"]
  backend: {backend: {name: sorry}}
  traffic_policy:
    value:
      on_tcp_connect:
        - actions:
            - {type: webhook-verification, config: {provider: slack, secret: {env: KEY}}}
`;
