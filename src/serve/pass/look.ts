import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { version } from "../../core/version.js";
import type { Address } from "../../kinds/names.js";
import { hashPlan, type Origin, type Plan, unspecified } from "../../plan/plan-format.js";
import { type PlanOptions, planDefaults } from "../../plan/plan-context.js";
import { type SourcePlaces, formerSecrets, sourcePlaces } from "../../plan/plan-secrets.js";
import { type PlanWithStates, originsOf, planWithStates } from "../decide/change-origins.js";
import { type Decision, type DecisionInput, decide, noBrake } from "../decide/decide.js";
import type { BrakeLook } from "../decide/brake.js";
import { failureWords } from "../serve-events.js";
import { type ChangeOrigin, type StackMemory, newStackMemory } from "../records.js";
import type { ListHealth, Pass } from "./pass.js";
import type { LoadedStack } from "./load-stack.js";
import type { DueStack } from "../serve-deps.js";

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
  const shown = { ...plan, changes };
  return { ...shown, hash: hashPlan(shown) };
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
