import { isDeepStrictEqual } from "node:util";
import { EdgewiseError } from "../core/errors.js";
import { expandSource, markApproved, markChanged, markSource } from "./expand-source.js";
import type { FleetSource } from "./fleet/fleet.js";
import { storeFailed, storeWorks } from "./keep-records.js";
import type { SourceRecord } from "./records.js";
import type { ServeDeps } from "./serve-deps.js";
import { updateTargets } from "./update-targets.js";
import { type FollowedSource, type ServeState, noteKept } from "./serve-state.js";
import { recordKey } from "./store/state-formats.js";

/** Fetches a source, takes up its commit, and marks the stacks that it touches. */
export async function followSource(
  state: ServeState,
  source: FleetSource,
  deps: ServeDeps,
  signal: AbortSignal,
): Promise<void> {
  const followed = state.sources.get(source.name);
  if (followed === undefined || followed.fetching) return;
  followed.fetching = true;
  try {
    const began = deps.clock.now();
    followed.nextFetch = began + source.pollMs * (0.9 + 0.2 * deps.random());
    const kept = state.keptSources.get(source.name) ?? null;
    const before = knownOf(followed.record, kept);
    const fetched = await fetchRecord(state, source, before, deps, signal);
    const { record, commit, expansion } = await takeUp(state, source, followed, fetched, deps);
    // The fleet file changed meanwhile.
    if (signal.aborted || state.fleet.sources.get(source.name) !== source) {
      followed.nextFetch = began;
      return;
    }
    if (!(await keepSource(state, record, kept, deps))) {
      followed.nextFetch = began + storePauseMs;
      return;
    }
    const previous = followed.expansion;
    const first = !followed.tried;
    followed.record = record;
    followed.commit = commit;
    followed.tried = true;
    followed.expansion = expansion;
    noteKept(state, record, deps.clock.now());
    await updateTargets(state, deps);
    const marked =
      expansion !== null && expansion !== previous ? await markChanged(state, source, previous, expansion, deps) : 0;
    await markApproved(state, source, deps, signal);
    // A stack's state says whether its tip is followed.
    if (before !== null && (before.problem?.code === "rewound") !== (record.problem?.code === "rewound"))
      markSource(state, source.name, deps.clock.now());
    announce(source.name, before, record, { first, marked, ms: deps.clock.now() - began }, deps);
  } finally {
    followed.fetching = false;
  }
}

const storePauseMs = 1000;

async function keepSource(
  state: ServeState,
  record: SourceRecord,
  kept: SourceRecord | null,
  deps: ServeDeps,
): Promise<boolean> {
  try {
    const isSaved = await deps.store.saveSource(record, kept);
    storeWorks(state, deps);
    return isSaved;
  } catch (error) {
    storeFailed(state, error, deps);
    return !deps.store.shared;
  }
}

/** The store says what is followed; when it was fetched, and what was wrong then, each process knows itself. */
function knownOf(own: SourceRecord | null, kept: SourceRecord | null): SourceRecord | null {
  if (kept === null || own === null) return kept ?? own;
  return { ...kept, fetchedAt: own.fetchedAt, problem: own.problem };
}

async function fetchRecord(
  { damaged, fleet }: ServeState,
  source: FleetSource,
  before: SourceRecord | null,
  deps: ServeDeps,
  signal: AbortSignal,
): Promise<SourceRecord> {
  try {
    const damage = damaged.get(recordKey("source", source.name));
    if (damage !== undefined) throw new EdgewiseError("io", damage);
    const configs = new Set(fleet.entries.filter((entry) => entry.source === source.name).map(({ config }) => config));
    return await deps.reader.fetch(source, before, signal, [...configs]);
  } catch (error) {
    return withProblem(before ?? neverFetched(source.name), error, deps);
  }
}

async function takeUp(
  state: ServeState,
  source: FleetSource,
  followed: FollowedSource,
  record: SourceRecord,
  deps: ServeDeps,
): Promise<Pick<FollowedSource, "commit" | "expansion"> & { readonly record: SourceRecord }> {
  const { commit, expansion } = followed;
  const wanted = record.followed;
  const same = expansion?.commit === wanted && isDeepStrictEqual(record.checked, followed.record?.checked);
  if (wanted === null || (same && commit !== null)) return { record, commit, expansion };
  try {
    const opened = await deps.reader.open(source, wanted);
    const expanded = await expandSource(state.fleet, source, opened, record, expansion);
    return { record, commit: opened, expansion: expanded };
  } catch (error) {
    // What could not be fetched is not here.
    const isReason = record.problem?.code === "unreachable";
    return { record: isReason ? record : withProblem(record, error, deps), commit, expansion };
  }
}

function neverFetched(name: string): SourceRecord {
  return { name, followed: null, tip: null, fetchedAt: null, problem: null };
}

function withProblem(record: SourceRecord, error: unknown, deps: ServeDeps): SourceRecord {
  const text = error instanceof Error ? error.message : String(error);
  const message = deps.mask(error instanceof EdgewiseError ? text : `a bug in edgewise: ${text}`);
  const since = record.problem?.code === "unusable" ? record.problem.since : deps.clock.now();
  return { ...record, problem: { code: "unusable", message, since } };
}

/** A problem is told when the program starts, when it begins and when it changes, not at every poll. */
function announce(
  name: string,
  before: SourceRecord | null,
  { followed, problem }: SourceRecord,
  { first, marked, ms }: { readonly first: boolean; readonly marked: number; readonly ms: number },
  { emit }: ServeDeps,
): void {
  const known = first ? null : (before?.problem ?? null);
  if (problem === null && followed !== null) {
    emit({ event: "source-fetched", source: name, commit: followed, ms });
    if (before !== null && before.problem !== null) emit({ event: "source-recovered", source: name, commit: followed });
  }
  if (problem !== null && (known?.code !== problem.code || known.message !== problem.message))
    emit({ event: "source-failed", source: name, code: problem.code, message: problem.message });
  const last = before?.followed ?? null;
  if (followed !== null && followed !== last)
    emit({ event: "source-followed", source: name, commit: followed, before: last, stacks: marked });
}
