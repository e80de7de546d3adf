import { isDeepStrictEqual } from "node:util";
import { EdgewiseError } from "../core/errors.js";
import { type Fleet, type FleetSource, type StackTarget, isPattern, targetOf } from "./fleet/fleet.js";
import type { SourceRecord } from "./records.js";
import { updateTargets } from "./update-targets.js";
import type { FollowedSource, ServeState, SourceExpansion, StackClaims } from "./serve-state.js";
import { recordKey } from "./store/state-formats.js";
import { targetOfMatch } from "./fleet/expand-entries.js";
import { grantSettings } from "./fleet/stack-powers.js";
import { type SourceCommit, directoryOf } from "./git/source-reader.js";

export async function followSource(state: ServeState, source: FleetSource, signal: AbortSignal): Promise<void> {
  const { name } = source;
  const followed = state.sources.get(name);
  if (followed === undefined || followed.fetching) return;
  followed.fetching = true;
  try {
    const began = (followed.fetchBegan = state.now());
    followed.nextFetch = began + source.pollMs * (0.9 + 0.2 * state.deps.random());
    const kept = state.keptSources.get(name) ?? null;
    const before = knownOf(followed.record, kept);
    const taken = await takeUp(state, source, followed, before, signal);
    const { record, expansion } = taken;
    if (signal.aborted || state.fleet.sources.get(name) !== source) {
      followed.nextFetch = began;
      return;
    }
    if (!(await keepSource(state, record, kept))) {
      followed.nextFetch = began + storePauseMs;
      return;
    }
    const { expansion: previous, tried } = followed;
    Object.assign(followed, taken, { tried: true });
    state.noteKept(record);
    await updateTargets(state);
    const marked = expansion !== null && expansion !== previous ? markChanged(state, previous, expansion) : 0;
    await markApproved(state, source, signal);
    // A stack's state says whether its tip is followed.
    if (before !== null && (before.problem?.code === "rewound") !== (record.problem?.code === "rewound"))
      for (const { entry, name: stack } of state.targets.values()) if (entry.source === name) state.markDue(stack);
    announce(state, before, record, { tried, marked, ms: state.now() - began });
  } finally {
    followed.fetching = false;
  }
}

const storePauseMs = 1000;

async function keepSource(state: ServeState, record: SourceRecord, kept: SourceRecord | null): Promise<boolean> {
  try {
    const isSaved = await state.deps.store.saveSource(record, kept);
    state.storeWorks();
    return isSaved;
  } catch (error) {
    state.storeFailed(error);
    return !state.deps.store.shared;
  }
}

/** The store says what is followed, each process when it fetched it. */
function knownOf(own: SourceRecord | null, kept: SourceRecord | null): SourceRecord | null {
  if (kept === null || own === null) return kept ?? own;
  return { ...kept, fetchedAt: own.fetchedAt, problem: own.problem };
}

async function takeUp(
  { damaged, deps, fleet }: ServeState,
  source: FleetSource,
  known: FollowedSource,
  before: SourceRecord | null,
  signal: AbortSignal,
) {
  const { name } = source;
  let record: SourceRecord = { name, followed: null, tip: null, fetchedAt: null, ...before, problem: null };
  let { commit, expansion } = known;
  try {
    const damage = damaged.get(recordKey("source", name));
    if (damage !== undefined) throw new EdgewiseError("io", damage);
    const configs = new Set(fleet.entries.filter((entry) => entry.source === name).map(({ config }) => config));
    record = await deps.reader.fetch(source, before, signal, [...configs]);
    const { checked, followed } = record;
    const isKnown = expansion?.commit === followed && isDeepStrictEqual(checked, known.record?.checked);
    if (followed !== null && (commit === null || !isKnown)) {
      const opened = await deps.reader.open(source, followed);
      expansion = await expandSource(fleet, source, opened, record, expansion);
      commit = opened;
    }
  } catch (error) {
    if (!(error instanceof EdgewiseError)) throw error;
    const since = before?.problem?.code === "unusable" ? before.problem.since : deps.clock.now();
    const problem = { code: "unusable", message: deps.mask(error.message), since } as const;
    if (record.problem?.code !== "unreachable") record = { ...record, problem };
  }
  return { record, commit, expansion };
}

function announce(
  { deps: { emit } }: ServeState,
  before: SourceRecord | null,
  { followed, name: source, problem }: SourceRecord,
  { marked, ms, tried }: Readonly<{ marked: number; ms: number; tried: boolean }>,
): void {
  const known = before?.problem ?? null;
  if (problem === null && followed !== null) {
    emit({ event: "source-fetched", source, commit: followed, ms });
    if (known !== null) emit({ event: "source-recovered", source, commit: followed });
  }
  if (problem !== null && !(tried && known?.code === problem.code && known.message === problem.message))
    emit({ event: "source-failed", source, code: problem.code, message: problem.message });
  const last = before?.followed ?? null;
  if (followed !== null && followed !== last)
    emit({ event: "source-followed", source, commit: followed, before: last, stacks: marked });
}

async function expandSource(
  fleet: Fleet,
  source: FleetSource,
  commit: SourceCommit,
  record: SourceRecord,
  previous: SourceExpansion | null,
): Promise<SourceExpansion> {
  const { signedBy } = source;
  const { checked, problem: unfollowed } = record;
  const found: Readonly<{ target: StackTarget; problem: string | null }>[] = [];
  for (const entry of fleet.entries.filter((one) => one.source === source.name)) {
    const isChecked = signedBy === null || (checked?.signedBy === signedBy && checked.configs.includes(entry.config));
    const why = "it is not looked at: who signed what it is made from is not checked.";
    const unsigned = isChecked ? null : `${why} ${unfollowed?.message ?? ""}`.trim();
    if (isPattern(entry))
      for (const match of await commit.findConfigs(entry.config)) {
        const { problem, target } = targetOfMatch(entry, match);
        found.push({ target, problem: problem ?? unsigned });
      }
    else if ((await ifConfig<string | null>("", () => commit.readConfig(entry.config))) !== null)
      found.push({ target: targetOf(entry), problem: unsigned });
  }
  const ids = await commit.directoryIds([...new Set(found.map(({ target }) => directoryOf(target.config)))]);
  const expansion = { commit: commit.commit, stacks: new Map(), problems: new Map<string, string>() };
  for (const { problem, target } of found) {
    const { name } = target;
    if (problem !== null) {
      expansion.problems.set(name, problem);
      expansion.stacks.set(name, { target, content: null, claims: { marker: target.stack, previousStacks: [] } });
      continue;
    }
    const directory = ids.get(directoryOf(target.config));
    // A link may lead to what changes without the directory.
    const content = directory === undefined || directory.hasLinks ? null : directory.id;
    const known = previous?.stacks.get(name);
    const isSame =
      content !== null &&
      known?.content === content &&
      known.target.config === target.config &&
      known.target.entry === target.entry;
    const claims = isSame ? known.claims : await claimsAt(target, commit, fleet);
    expansion.stacks.set(name, { target, content, claims });
  }
  return expansion;
}

/** Of one that can't be read, its pass tells what is wrong. */
async function claimsAt(target: StackTarget, commit: SourceCommit, { accounts }: Fleet): Promise<StackClaims> {
  const { config, entry, stack } = target;
  const plain = { marker: stack, previousStacks: [] };
  if (stack !== null && entry.allow.previousStacks.length === 0) return plain;
  const account = accounts.get(entry.account);
  return ifConfig(plain, async () => {
    const text = await commit.readConfig(config);
    if (text === null || account === undefined) return plain;
    const { marker, previousStacks } = grantSettings(target, account, text);
    return { marker, previousStacks };
  });
}

async function ifConfig<T>(otherwise: T, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof EdgewiseError && error.code === "config") return otherwise;
    throw error;
  }
}

/** Those whose directory a new commit changed, or whose entry is new. */
function markChanged(state: ServeState, previous: SourceExpansion | null, expansion: SourceExpansion): number {
  const changed = [...expansion.stacks].filter(([name, { target, content }]) => {
    const before = previous?.stacks.get(name);
    if (before !== undefined)
      return content === null || before.content !== content || before.target.config !== target.config;
    return previous !== null || state.stacks.get(name)?.status.commit !== expansion.commit;
  });
  for (const [name] of changed) state.markDue(name);
  return changed.length;
}

async function markApproved(state: ServeState, source: FleetSource, signal: AbortSignal): Promise<void> {
  const followed = state.sources.get(source.name);
  const waiting = [...state.targets.values()].flatMap(({ entry, name }) => {
    const digest = state.stacks.get(name)?.status.digest ?? null;
    const isAsked = entry.source === source.name && entry.policy.approvers !== null;
    return isAsked && digest !== null ? [{ stack: name, digest }] : [];
  });
  if (followed === undefined || waiting.length === 0) return;
  const found = await state.deps.approvals.listApprovals(source, waiting, signal);
  for (const [name, text] of found) if (followed.approvalTags?.get(name) !== text) state.markDue(name);
  followed.approvalTags = found;
}
