import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { ApiError } from "../../api/api-error.js";
import type { Client, ReadClient } from "../../api/client.js";
import { EdgewiseError } from "../../core/errors.js";
import { isObject } from "../../core/json.js";
import { version } from "../../core/version.js";
import { type Address, kindOf } from "../../kinds/names.js";
import { kinds } from "../../kinds/registry.js";
import type { Live } from "../../live/live.js";
import { type Listing, readLiveFor, startListing } from "../../live/read-live.js";
import type { Manifest } from "../../manifest/manifest.js";
import { type PlanOptions, planDefaults } from "../../plan/plan-context.js";
import { type Origin, type Plan, unspecified } from "../../plan/plan-format.js";
import { type SourcePlaces, formerSecrets, sourcePlaces } from "../../plan/plan-secrets.js";
import type { BrakeLook } from "../decide/brake.js";
import { type PlanWithStates, originsOf, planWithStates } from "../decide/change-origins.js";
import { type Decision, type DecisionInput, decide, noBrake } from "../decide/decide.js";
import { type ChangeOrigin, type StackMemory, newStackMemory } from "../records.js";
import type { AccountPassInput, DueStack, PassDeps } from "../serve-deps.js";
import { failureWords } from "../serve-events.js";
import type { LoadStack, LoadedStack } from "./load-stack.js";

const freshMs = 5000;

export class Pass {
  unreadable: string | null = null;
  readonly #client: Client | null;
  #latest: ListHealth | null = null;

  constructor(
    readonly input: AccountPassInput,
    readonly deps: PassDeps,
    readonly load: LoadStack,
    client: Client | string,
  ) {
    this.#client = typeof client === "string" ? null : client;
    if (typeof client === "string") this.unreadable = client;
  }

  get client(): Client {
    const client = this.#client;
    if (client === null) throw new EdgewiseError("config", this.unreadable ?? "there is no connection to the account");
    return {
      ...client,
      send: (request) => {
        this.#latest = null;
        return client.send(request);
      },
    };
  }

  /** Begun under the account's lock and after its last write. */
  listForWriting(anew: boolean): ListHealth {
    const isOld = (this.#latest?.began ?? 0) < this.deps.clock.now() - freshMs;
    if (anew || this.#latest === null || isOld) this.#latest = this.list();
    return this.#latest;
  }

  list(): ListHealth {
    return new ListHealth(this.client, this.deps.clock.now());
  }

  whyNotWritten({ unfollowed }: DueStack): string | null {
    const { clock, dryRun, paused, stop } = this.deps;
    const { quietUntil } = this.deps.claim;
    if (dryRun) return "a dry run writes nothing";
    if (clock.now() < quietUntil)
      return `a pass was cut off while it wrote to the account, and what it sent may arrive until ${new Date(quietUntil).toISOString()}`;
    if (this.unreadable !== null) return `live can't be read any more (${this.unreadable})`;
    if (stop.aborted) return "the loop is stopping";
    return paused || unfollowed?.rewound === true || unfollowed?.unreachable === true
      ? "nothing may be written now"
      : null;
  }
}

class ListHealth {
  readonly #listing: Listing;

  constructor(
    private readonly client: ReadClient,
    readonly began: number,
  ) {
    this.#listing = startListing(client);
  }

  async liveFor(manifests: readonly Manifest[]): Promise<Live> {
    return readLiveFor(this.client, manifests, [], this.#listing);
  }

  async isReadable(): Promise<boolean> {
    try {
      await this.liveFor([]);
      return true;
    } catch (error) {
      if (error instanceof EdgewiseError) return false;
      throw error;
    }
  }

  /** Are resources that no list shows any more gone, or are the lists wrong? */
  async whyWrong(missing: ReadonlyMap<Address, string>): Promise<string | null> {
    if (missing.size === 0) return null;
    const { lists } = await this.liveFor([]);
    const listed = new Set(Object.values(lists).flatMap((list) => list.map(({ id }) => id)));
    for (const [address, id] of missing)
      if (!listed.has(id) && (await isThere(address, id, this.client)))
        return (
          `the lists lack ${address}, but the service still has it (${id}), so they can't be believed: ` +
          "nothing is written by them, and it is looked at again"
        );
    return null;
  }
}

async function isThere(address: Address, id: string, client: ReadClient): Promise<boolean> {
  try {
    const { body } = await client.get(kinds[kindOf(address)].path(encodeURIComponent(id), {}));
    if (isObject(body) && body["id"] === id) return true;
  } catch (error) {
    if (error instanceof ApiError && (error.status === 404 || error.status === 410)) return false;
    throw error;
  }
  throw new EdgewiseError(
    "api",
    `${address} (${id}) is in no list any more, and the service answers with something else`,
  );
}

export type StackPlan = PlanWithStates &
  Readonly<{
    began: number;
    origins: ReadonlyMap<Address, ChangeOrigin>;
    sources: SourcePlaces;
  }>;

export type WholeLook = Awaited<ReturnType<typeof planStack>>;

type AnyLook = Readonly<{ due: DueStack; began: number }>;

export type SeenLook = AnyLook &
  Readonly<{
    saw: "plan";
    marker: string;
    seen: StackPlan;
    decision: Decision;
    loaded: LoadedStack | null;
  }>;

type UnseenLook = AnyLook & Readonly<{ saw: "nothing"; message: string; unreadable: boolean }>;

export type Look = SeenLook | UnseenLook;

export async function lookAtAll(pass: Pass): Promise<readonly Look[]> {
  const { clock, hardStop, stop } = pass.deps;
  const looks: Look[] = [];
  let lists: ListHealth | null = null;
  for (const due of pass.input.due) {
    if (stop.aborted || hardStop.aborted) break;
    if (due.commit !== null && pass.unreadable === null) lists ??= pass.list();
    looks.push(await lookAt(pass, due, lists, clock.now()));
    await yieldToEventLoop();
  }
  return looks;
}

async function lookAt(pass: Pass, due: DueStack, lists: ListHealth | null, began: number): Promise<Look> {
  const { account } = pass.input;
  const { commit, target, unfollowed } = due;
  const nothing = { due, began, saw: "nothing" } as const;
  if (pass.unreadable !== null) return { ...nothing, message: pass.unreadable, unreadable: true };
  if (commit === null || lists === null)
    return { ...nothing, message: unfollowed?.message ?? "there is no commit to follow yet", unreadable: false };
  let loaded: LoadedStack | null = null;
  try {
    loaded = await pass.load({ account, commit, target, now: began });
    const memory = due.record?.memory ?? newStackMemory;
    const { seen } = await planStack(pass, { loaded, commit: commit.commit, memory, lockRun: null }, lists);
    const decision = decide(decisionInput(pass, due, seen, memory));
    const isIdle = isInSync(seen.plan);
    const { marker } = loaded.settings;
    return { due, began, saw: "plan", marker, seen, decision, loaded: isIdle ? null : loaded };
  } catch (error) {
    const unreadable = loaded !== null && !pass.deps.hardStop.aborted && !(await lists.isReadable());
    return { ...nothing, message: failureWords(error), unreadable };
  }
}

export function isInSync({ changes, operations, refusals }: Plan): boolean {
  return changes.length === 0 && operations.length === 0 && refusals.length === 0;
}

export function brakeLookOf(look: Look): BrakeLook {
  const { record, target, unfollowed } = look.due;
  const about = {
    stack: target.name,
    policy: target.entry.policy,
    memory: record?.memory ?? newStackMemory,
    previousLook: record?.status.lookedAt ?? null,
    gitUnreadable: unfollowed?.unreachable === true ? unfollowed.message : null,
  };
  if (look.saw === "nothing") return { ...about, lookedAt: look.began, plan: null, origins: new Map(), unasked: [] };
  const { decision, seen } = look;
  return { ...about, lookedAt: seen.began, plan: seen.plan, origins: seen.origins, unasked: decision.apply };
}

export function decisionInput(
  { deps }: Pass,
  { target }: DueStack,
  { closures, origins, plan }: StackPlan,
  { deletes }: StackMemory,
): DecisionInput {
  const { policy } = target.entry;
  return { plan, origins, closures, policy, deletes, paused: deps.paused, now: deps.clock.now(), brake: noBrake };
}

type Planned = Readonly<{ loaded: LoadedStack; commit: string; memory: StackMemory; lockRun: string | null }>;

export async function planStack(pass: Pass, planned: Planned, lists: ListHealth) {
  const { loaded, memory } = planned;
  const { manifests: desired, redactor } = loaded;
  const live = await lists.liveFor(desired);
  const options = optionsOf(pass, planned);
  const places = bothPlaces(memory.sources ?? {}, sourcePlaces(desired));
  // The commit may have dropped a source.
  for (const text of formerSecrets(places, desired, live, options)) redactor.addSecret(text);
  const { closures, states, ...made } = planWithStates(desired, live, options);
  const plan = await loaded.judge(made.plan);
  const origins = originsOf({ plan, states, closures }, memory.synced);
  const known = new Set<string>([...states].flatMap(([address, { former }]) => [address, ...former]));
  const sources = Object.fromEntries(Object.entries(places).filter(([address]) => known.has(address)));
  const seen: StackPlan = { plan, states, origins, closures, began: lists.began, sources };
  return { seen, desired, live, options, lists };
}

function bothPlaces(before: SourcePlaces, now: SourcePlaces): SourcePlaces {
  const both = { ...before };
  for (const [address, places] of Object.entries(now))
    both[address] = [...new Set([...(before[address] ?? []), ...places])];
  return both;
}

const named: { readonly [O in ChangeOrigin]: Origin } = { commit: "desired", drift: "drift", both: "both" };

export function planWithOrigins({ origins, plan }: StackPlan): Plan {
  const changes = plan.changes.map((change) => ({ ...change, origin: named[origins.get(change.address) ?? "both"] }));
  return { ...plan, changes };
}

function optionsOf({ deps, input }: Pass, { commit, loaded, lockRun }: Planned): PlanOptions {
  const { guards, marker, moduleEndpoints, previousStacks } = loaded.settings;
  return {
    ...planDefaults,
    stack: marker,
    previousStacks,
    baseUrl: input.account.baseUrl,
    toolVersion: version,
    provenance: { ...unspecified, commit },
    moduleEndpoints,
    allow: guards.allow,
    configuredAllow: guards.allow,
    maxDeletes: guards.maxDeletes,
    redact: (text) => loaded.redactor.redact(text),
    now: deps.clock.now(),
    ...(lockRun === null ? {} : { lockRun }),
  };
}
