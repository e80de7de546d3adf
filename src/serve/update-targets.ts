import type { ServeState, StackClaims } from "./serve-state.js";
import { type StackClaim, claimProblems } from "./fleet/expand-entries.js";
import { type FleetEntry, type StackTarget, entryFinder, isPattern, placeText, targetOf } from "./fleet/fleet.js";
import { enterState, forgetStack } from "./keep-records.js";
import { type StackRecord, newStackRecord } from "./records.js";
import { isDeepStrictEqual } from "node:util";

export async function updateTargets(state: ServeState): Promise<void> {
  for (const [key, message] of state.damaged)
    if (!state.knownDamage.has(key)) state.deps.emit({ event: "state-damaged", message: state.deps.mask(message) });
  state.knownDamage = new Map(state.damaged);
  const targets = new Map<string, StackTarget>();
  const refusals = new Map<string, string>();
  const claims: StackClaim[] = [];
  for (const source of state.fleet.sources.keys()) {
    const expansion = state.sources.get(source)?.expansion ?? null;
    if (expansion === null) continue;
    for (const [name, message] of expansion.problems) refusals.set(name, message);
    for (const [name, { target, claims: own }] of expansion.stacks) {
      if (!targets.has(name)) targets.set(name, target);
      claims.push(...claimsOf(state, target, own));
    }
  }
  for (const entry of state.fleet.entries) {
    const { config, name, place, source } = entry;
    if (isPattern(entry) || targets.has(name)) continue;
    const { commit = null } = state.sources.get(source)?.expansion ?? {};
    const { lookedAt = null, appliedCommit = null } = state.stacks.get(name)?.status ?? {};
    if (commit !== null && (lookedAt !== null || appliedCommit !== null)) continue;
    const target = targetOf(entry);
    targets.set(name, target);
    claims.push(...claimsOf(state, target, { marker: target.stack, previousStacks: [] }));
    if (commit === null) continue;
    const at = `${source} at commit ${commit.slice(0, 12)} (${placeText(place)})`;
    refusals.set(name, `there is no ${config} in the source ${at}`);
  }
  for (const [name, message] of claimProblems(claims)) refusals.set(name, message);
  for (const [name, { entry }] of targets) {
    const damage = state.damageOf({ ...entry, name });
    if (damage !== null) refusals.set(name, state.deps.mask(damage));
    const takenUpAgain = state.stacks.get(name)?.status.state === "orphaned";
    if (takenUpAgain || (state.refusals.has(name) && !refusals.has(name))) state.markDue(name);
  }
  const before = state.targets;
  state.refusals = refusals;
  state.setTargets(targets);
  for (const [name, message] of refusals) {
    const target = targets.get(name);
    if (target === undefined) continue;
    const record = state.stacks.get(name) ?? newStackRecord(target, state.now());
    await enterState(state, record, failedFor(message));
  }
  await updateOthers(state, before);
}

/** Whose configuration can't be read claims what it was when it was last looked at. */
function claimsOf({ fleet, stacks }: ServeState, target: StackTarget, claims: StackClaims): readonly StackClaim[] {
  const account = fleet.accounts.get(target.entry.account);
  if (account === undefined) return [];
  const marker = claims.marker ?? stacks.get(target.name)?.stack ?? null;
  return [{ target, account, marker, previousStacks: claims.previousStacks }];
}

function failedFor(message: string) {
  return { state: "failed", reason: null, message } as const;
}

async function updateOthers(state: ServeState, before: ReadonlyMap<string, StackTarget>): Promise<void> {
  const find = entryFinder(state.fleet);
  for (const record of state.stacks.values()) {
    const { name, status } = record;
    const { lookedAt, nextLook, since } = status;
    if (state.targets.has(name)) continue;
    const why = whyOrphaned(state, record, find(name));
    const damage = state.damageOf(record);
    const mayTake = nextLook + Math.max(0, nextLook - (lookedAt ?? since));
    // The fleet file of another process may describe it.
    const isOthers = state.deps.store.shared && !before.has(name) && state.now() < mayTake;
    const isNew = lookedAt === null && status.appliedCommit === null;
    if (state.fleet.forgotten.has(name)) await forgetStack(state, name);
    else if (why === null) {
      if (damage !== null) await enterState(state, record, failedFor(state.deps.mask(damage)));
    } else if (isOthers) continue;
    else if (isNew) await forgetStack(state, name);
    else await enterState(state, record, { state: "orphaned", reason: null, message: why });
  }
}

function whyOrphaned({ sources }: ServeState, { name }: StackRecord, entry: FleetEntry | undefined): string | null {
  const keep = `Nothing of it is deleted. List ${name} under \`forgotten:\` in the fleet file, or describe it again.`;
  if (entry === undefined) return `no entry of the fleet file describes it any more. ${keep}`;
  const followed = sources.get(entry.source);
  if (followed === undefined || !followed.tried || followed.expansion === null) return null;
  return `the source ${entry.source} has no ${entry.config} at commit ${followed.expansion.commit.slice(0, 12)}. ${keep}`;
}

export const changesEveryMs = 1000;

export async function takeChanges(state: ServeState): Promise<boolean> {
  try {
    const changes = await state.deps.store.changes();
    for (const record of changes.stacks) takeStack(state, record);
    for (const record of changes.accounts) state.accounts.set(record.name, record);
    for (const record of changes.sources) state.noteKept(record);
    for (const account of changes.abandoned)
      for (const { name } of state.byAccount.get(account) ?? []) state.markDue(name);
    if (!isDeepStrictEqual(state.damaged, state.knownDamage)) await updateTargets(state);
    return true;
  } catch (error) {
    state.storeFailed(error);
    return false;
  }
}

function takeStack(state: ServeState, record: StackRecord): void {
  const { name } = record;
  const refused = state.refusals.has(name) ? state.stacks.get(name)?.status : undefined;
  const { message, reason, since, state: shown } = refused ?? record.status;
  state.setStack({ ...record, status: { ...record.status, message, reason, since, state: shown } });
  const markedAt = state.marked.get(name);
  const { commit, lookedAt } = record.status;
  const source = state.targets.get(name)?.entry.source ?? "";
  const isSame = commit === (state.sources.get(source)?.expansion?.commit ?? null);
  if (markedAt !== undefined && lookedAt !== null && lookedAt >= markedAt && isSame) state.marked.delete(name);
}
