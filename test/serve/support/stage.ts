import { askProcess } from "../../../src/policies/ask-process.ts";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { type ServeParts, openServeParts } from "../../../src/commands/support/serve-parts.ts";
import { type ShownStack, createLoopView, showStack } from "../../../src/serve/http/shown-stack.ts";
import { type ServeLoop, createServeLoop, serveOnce } from "../../../src/serve/serve-loop.ts";
import type { Notification } from "../../../src/serve/notify/notification.ts";
import { type SendOutcome, createNotifier } from "../../../src/serve/notify/notifier.ts";
import type { AccountRecord, Approval, StackMemory, StackRecord, StackStatus } from "../../../src/serve/records.ts";
import type { ServeDeps } from "../../../src/serve/serve-deps.ts";
import type { ServeEvent } from "../../../src/serve/serve-events.ts";
import { type ServeState, loadServeState } from "../../../src/serve/serve-state.ts";
import type { ApprovalQuestion } from "../../../src/serve/git/source-reader.ts";
import { type MemoryIo, memoryIo } from "../../commands/memory-io.ts";
import { MemorySources } from "./memory-sources.ts";
import { type MemoryStore, MemoryDatabase } from "./memory-store.ts";
import { SimulatedAccount } from "./simulated-account.ts";
import { SimulatedClock } from "./simulated-clock.ts";

export const minute = 60_000;
export const collection = "/backends/http_response";

export interface Written {
  [member: string]: unknown;
}

export interface PassChanges extends Partial<Pick<ServeDeps, "dryRun" | "connect" | "reader">> {
  readonly stop?: AbortSignal;
  readonly hardStop?: AbortSignal;
}

export interface Among {
  readonly clock: SimulatedClock;
  readonly service: SimulatedAccount;
  readonly session: MemoryStore;
}

const newSignal = (): AbortSignal => new AbortController().signal;

/**
 * A fleet file, and `serve` over it in virtual time: its real parts, with a source, an account of the service and a store in
 * memory. One pass of everything, as `--once` does it, or the loop.
 */
export class Stage {
  readonly directory = mkdtempSync(join(tmpdir(), "edgewise-stage-"));
  readonly clock: SimulatedClock;
  readonly service: SimulatedAccount;
  readonly sources = new MemorySources(() => this.clock.now());
  readonly database: MemoryDatabase;
  readonly store: MemoryStore;
  readonly events: ServeEvent[] = [];
  readonly tags = new Map<string, Approval>();
  onQuestion: (question: ApprovalQuestion) => void = () => undefined;
  readonly sent: { readonly to: string; readonly notification: Notification }[] = [];
  answer: SendOutcome = { ok: true };
  /** The fleet file: it counts from the next pass, start or reload on. */
  readonly file: {
    stacks: { [name: string]: Written };
    accounts: { [name: string]: Written };
    [member: string]: unknown;
  };
  readonly others = new Map<string, SimulatedAccount>();
  evaluated = 0;
  #io: MemoryIo;
  #parts: Promise<ServeParts> | null = null;
  #drawn = 0;
  loop: ServeLoop | null = null;
  #stop = new AbortController();
  readonly #hardStop = new AbortController();
  #ended: Promise<unknown> = Promise.resolve();

  constructor(readonly among: Among | null = null) {
    this.clock = among?.clock ?? new SimulatedClock();
    this.service = among?.service ?? new SimulatedAccount(this.clock);
    this.database = new MemoryDatabase(this.clock, false);
    this.store = among?.session ?? this.database.connect();
    onTestFinished(async () => {
      this.#hardStop.abort();
      await this.restart();
      rmSync(this.directory, { recursive: true, force: true });
    });
    this.write("key", "ak_C4n4ry/7+9==~Lk");
    this.write("approvers", "ann@example.com ssh-ed25519 AAAA\n");
    this.file = {
      apiVersion: "edgewise/v1",
      kind: "Fleet",
      sources: { edge: { git: "https://git.example.com/edge.git" } },
      accounts: { main: { baseUrl: "https://service.example", key: { file: "key" } } },
      stacks: {},
      defaults: {},
    };
    this.#io = this.#newIo();
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.directory, path)), { recursive: true });
    writeFileSync(join(this.directory, path), text, { mode: 0o600 });
  }

  add(
    name: string,
    manifests: { readonly [file: string]: string } = oneBackend(name),
    entry: Written = {},
    config = "",
  ): void {
    this.file.stacks[name] = { source: "edge", account: "main", config: `${name}/edgewise.yaml`, ...entry };
    const head = `apiVersion: edgewise/v1\nkind: Config\nstack: ${name}\nmanifests: [m/]\n${config}`;
    const files = Object.entries(manifests).map(([file, text]) => [`${name}/m/${file}`, text] as const);
    this.commit({ [`${name}/edgewise.yaml`]: head, ...Object.fromEntries(files) });
  }

  commit(changes: { readonly [path: string]: string | null }): string {
    return this.sources.edit("edge", changes);
  }

  async approve(stack: string): Promise<void> {
    const { digest } = await this.status(stack);
    if (digest === null) throw new Error(`nothing waits in ${stack}`);
    this.tags.set(digest, { tag: "a".repeat(40), digest, approver: "ann@example.com", message: "why not" });
  }

  async pass({ hardStop = newSignal(), stop = newSignal(), ...changes }: PassChanges = {}): Promise<ServeState> {
    const deps = await this.#deps(changes);
    const state = await loadServeState(await this.#fleet(), deps);
    await serveOnce(state, { stop, hardStop });
    return state;
  }

  async killedPass({ hardStop = newSignal(), stop = newSignal(), ...changes }: PassChanges = {}): Promise<void> {
    const deps = await this.#deps(changes);
    const fleet = await this.#fleet();
    await new Promise<void>((killed, failed) => {
      const pass: ServeDeps["pass"] = async (...args) => {
        await deps.pass(...args).finally(killed);
        return new Promise(() => undefined);
      };
      loadServeState(fleet, { ...deps, pass })
        .then((state) => serveOnce(state, { stop, hardStop }))
        .then(killed, failed);
    });
    await this.restart();
  }

  async restart(): Promise<void> {
    await this.end();
    await this.clock.held(async () => (await this.#parts)?.close());
    this.#parts = null;
    this.#io = this.#newIo();
  }

  async start(changes: PassChanges = {}): Promise<void> {
    const deps = await this.#deps(changes);
    const loop = await createServeLoop(await this.#fleet(), deps);
    this.loop = loop;
    this.#stop = new AbortController();
    const notifier = createNotifier({
      receivers: () => loop.state.fleet.notify,
      store: deps.store,
      clock: this.clock,
      random: deps.random,
      readUrl: async (source) => ("file" in source ? source.file : ""),
      send: async (to, notification) => {
        this.sent.push({ to: to.slice(this.directory.length + 1), notification });
        return this.answer;
      },
      emit: (event) => void this.events.push(event),
    });
    this.#onOutbox = () => notifier.wake();
    this.#ended = loop.run({ stop: this.#stop.signal, hardStop: this.#hardStop.signal }).then(() => notifier.close(0));
  }

  async run(ms: number): Promise<void> {
    if (this.loop === null) await this.start();
    await this.clock.sleep(ms);
  }

  async reload(): Promise<void> {
    await this.loop?.changeFleet(await this.#fleet());
  }

  async end(): Promise<void> {
    this.#stop.abort();
    await this.#ended;
    this.loop = null;
  }

  async shown(name: string): Promise<ShownStack> {
    const { clock } = this;
    if (this.loop === null) throw new Error("the loop does not run");
    const found = createLoopView(this.loop, () => []).stack(name);
    if (found === null) throw new Error(`there is no ${name}`);
    return showStack(found, clock.now());
  }

  async record(name: string): Promise<StackRecord> {
    const record = this.loop?.state.stacks.get(name) ?? (await this.store.load()).stacks.get(name);
    if (record === undefined) throw new Error(`${name} has no record`);
    return record;
  }

  async status(name: string): Promise<StackStatus> {
    return (await this.record(name)).status;
  }

  async memory(name: string): Promise<StackMemory> {
    return (await this.record(name)).memory;
  }

  async account(): Promise<AccountRecord | undefined> {
    return this.loop?.state.accounts.get("main") ?? (await this.store.load()).accounts.get("main");
  }

  async states(...names: readonly string[]): Promise<readonly string[]> {
    const all = await Promise.all(names.map((name) => this.status(name)));
    return all.map(({ reason, state }) => (reason === null ? state : `${state}: ${reason}`));
  }

  async state(name: string): Promise<string> {
    return (await this.states(name))[0] ?? "";
  }

  looked(): readonly string[] {
    const looks = this.named("stack-looked").map(({ stack }) => stack);
    this.events.splice(0);
    return looks;
  }

  named<Name extends ServeEvent["event"]>(name: Name): readonly Extract<ServeEvent, { event: Name }>[] {
    return this.events.filter((event): event is Extract<ServeEvent, { event: Name }> => event.event === name);
  }

  live(): readonly string[] {
    return this.service
      .lists()
      .HTTPResponseBackend.map(({ description }) => String(description))
      .toSorted();
  }

  pathOf(name = ""): string {
    const found = this.service
      .lists()
      .HTTPResponseBackend.find(({ metadata }) => String(metadata).includes(`"${name}`));
    if (found === undefined) throw new Error(`no ${name} is live`);
    return `${collection}/${String(found["id"])}`;
  }

  edit(changes: { readonly [field: string]: string | number }, name?: string): void {
    this.service.byHand("PATCH", this.pathOf(name), changes);
  }

  #onOutbox: () => void = () => undefined;

  /** What it has learned to mask goes with a process. */
  #newIo(): MemoryIo {
    return memoryIo({ cwd: this.directory, env: { PATH: process.env["PATH"] ?? "" } });
  }

  async #fleet() {
    this.write("fleet.yaml", JSON.stringify(this.file, null, 1));
    const parts = await this.#opened();
    return this.clock.held(() => parts.reload());
  }

  async #opened(): Promise<ServeParts> {
    this.#parts ??= openServeParts({
      file: "fleet.yaml",
      flags: { check: true },
      io: this.#io,
      clock: this.clock,
      evaluate: async (...asked) => {
        this.evaluated += 1;
        return this.clock.held(async () => askProcess(...asked));
      },
      log: (event) => void this.events.push(event),
    });
    return this.clock.held(async () => this.#parts as Promise<ServeParts>);
  }

  async #deps({ dryRun = false, ...changes }: PassChanges): Promise<ServeDeps> {
    this.write("fleet.yaml", JSON.stringify(this.file, null, 1));
    const { traffic: _, ...deps } = (await this.#opened()).deps;
    return {
      ...deps,
      clock: this.clock,
      steadyClock: { now: () => this.clock.elapsed, sleep: (ms, signal) => this.clock.sleep(ms, signal) },
      random: () => 0.5,
      store: this.store,
      onOutbox: () => this.#onOutbox(),
      reader: this.sources,
      approvals: {
        draw: () => (this.#drawn += 1).toString(16).padStart(64, "0"),
        listApprovals: async (_source, waiting) =>
          new Map(waiting.flatMap(({ digest, stack }) => (this.tags.has(digest) ? [[stack, digest] as const] : []))),
        readApprovals: async (_source, question) => {
          this.onQuestion(question);
          const tag = this.tags.get(question.digest);
          return { approvals: tag === undefined ? [] : [tag], problems: [] };
        },
      },
      connect: (account, more) =>
        (this.others.get(account.name) ?? this.service).connect(account, { redactor: this.#io.redactor, ...more }),
      dryRun,
      ...changes,
    };
  }
}

export function backend(name: string, description: string, more = ""): string {
  return `apiVersion: edgewise/v1\nkind: HTTPResponseBackend\nmetadata: {name: ${name}}\nspec:\n  description: ${description}\n  status_code: 503\n${more}`;
}

export function oneBackend(stack: string): { readonly [file: string]: string } {
  return { "a.yaml": backend(`page-${stack}`, stack) };
}

export const everything = { apply: { commit: "security", drift: "security" } } as const;

/** A secret with characters that encodings change. */
export const secretText = 'hunter2 "C4n4ry/hook"+&<é>\\ 77';

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
