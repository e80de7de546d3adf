import { EdgewiseError } from "../core/errors.js";
import { targetOfMatch } from "./fleet/expand-entries.js";
import { type Fleet, type FleetEntry, type FleetSource, type StackTarget, isPattern, targetOf } from "./fleet/fleet.js";
import { grantSettings } from "./fleet/stack-powers.js";
import { type SourceCommit, directoryOf } from "./git/source-reader.js";
import type { SourceRecord } from "./records.js";
import { type ServeState, type SourceExpansion, type StackClaims, markDue } from "./serve-state.js";
import type { ServeDeps } from "./serve-deps.js";

/** Configurations are read only where their directory changed: a push to one of ten thousand reads one. */
export async function expandSource(
  fleet: Fleet,
  source: FleetSource,
  commit: SourceCommit,
  record: SourceRecord | null,
  previous: SourceExpansion | null,
): Promise<SourceExpansion> {
  const found: { readonly target: StackTarget; readonly problem: string | null }[] = [];
  for (const entry of fleet.entries.filter((one) => one.source === source.name)) {
    const unsigned = isChecked(entry, source, record)
      ? null
      : `it is not looked at: who signed what it is made from is not checked. ${record?.problem?.message ?? ""}`.trim();
    if (isPattern(entry))
      for (const match of await commit.findConfigs(entry.config)) {
        const { problem, target } = targetOfMatch(entry, match);
        found.push({ target, problem: problem ?? unsigned });
      }
    else if ((await readConfig(entry.config, commit)) !== null)
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
    const content = contentOf(target, ids);
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

/** Nobody has to sign what the entry is made from, or that was checked. */
export function isChecked(entry: FleetEntry, { signedBy }: FleetSource, record: SourceRecord | null): boolean {
  const checked = record?.checked ?? null;
  return signedBy === null || (checked?.signedBy === signedBy && checked.configs.includes(entry.config));
}

/** Null = a link below the directory may lead to what changes without it. */
function contentOf(target: StackTarget, ids: Awaited<ReturnType<SourceCommit["directoryIds"]>>): string | null {
  const found = ids.get(directoryOf(target.config)) ?? null;
  return found === null || found.hasLinks ? null : found.id;
}

async function claimsAt(target: StackTarget, commit: SourceCommit, { accounts }: Fleet): Promise<StackClaims> {
  const { entry, stack } = target;
  if (stack !== null && entry.allow.previousStacks.length === 0) return { marker: stack, previousStacks: [] };
  const text = await readConfig(target.config, commit);
  const account = accounts.get(entry.account);
  const granted = text === null || account === undefined ? null : grantSettings(target, account, text);
  const { marker, previousStacks } =
    granted !== null && "settings" in granted ? granted.settings : { marker: null, previousStacks: [] };
  return { marker: stack ?? marker, previousStacks };
}

/** "" for one that can't be read: its pass tells what is wrong with it. */
async function readConfig(path: string, commit: SourceCommit): Promise<string | null> {
  try {
    return await commit.readConfig(path);
  } catch (error) {
    if (error instanceof EdgewiseError && error.code === "config") return "";
    throw error;
  }
}

const mostEarlierCommits = 20;

/** Marks as due exactly the stacks whose directory a new commit changed, or whose entry is new. */
export async function markChanged(
  state: ServeState,
  source: FleetSource,
  previous: SourceExpansion | null,
  expansion: SourceExpansion,
  deps: Pick<ServeDeps, "clock" | "reader">,
): Promise<number> {
  const changed: string[] = [];
  const unknown = new Map<string, StackTarget[]>();
  for (const [name, { target, content }] of expansion.stacks) {
    const before = previous?.stacks.get(name);
    const lookedAt = state.stacks.get(name)?.status.commit ?? null;
    if (before !== undefined) {
      if (content === null || before.content !== content || before.target.config !== target.config) changed.push(name);
    } else if (previous !== null || lookedAt === null) changed.push(name);
    else if (lookedAt !== expansion.commit) unknown.set(lookedAt, [...(unknown.get(lookedAt) ?? []), target]);
  }
  for (const [index, [commit, targets]] of [...unknown].entries()) {
    const same = index < mostEarlierCommits ? await unchangedSince(commit, source, targets, expansion, deps) : null;
    for (const { name } of targets) if (same?.has(name) !== true) changed.push(name);
  }
  for (const name of changed) markDue(state, name, deps.clock.now());
  return changed.length;
}

export async function markApproved(
  state: ServeState,
  source: FleetSource,
  { approvals, clock }: Pick<ServeDeps, "approvals" | "clock">,
  signal: AbortSignal,
): Promise<void> {
  const followed = state.sources.get(source.name);
  const waiting = [...state.targets.values()].flatMap(({ entry, name }) => {
    const digest = state.stacks.get(name)?.status.digest ?? null;
    const isAsked = entry.source === source.name && entry.policy.approvers !== null;
    return isAsked && digest !== null ? [{ stack: name, digest }] : [];
  });
  if (followed === undefined || waiting.length === 0) return;
  const found = await approvals.listApprovals(source, waiting, signal);
  for (const [name, text] of found) if (followed.approvalTags?.get(name) !== text) markDue(state, name, clock.now());
  followed.approvalTags = found;
}

export function markSource(state: ServeState, source: string, now: number): void {
  for (const target of state.targets.values()) if (target.entry.source === source) markDue(state, target.name, now);
}

async function unchangedSince(
  commit: string,
  source: FleetSource,
  targets: readonly StackTarget[],
  expansion: SourceExpansion,
  { reader }: Pick<ServeDeps, "reader">,
): Promise<ReadonlySet<string> | null> {
  try {
    const opened = await reader.open(source, commit);
    const ids = await opened.directoryIds([...new Set(targets.map(({ config }) => directoryOf(config)))]);
    const same = targets.filter((target) => {
      const content = contentOf(target, ids);
      return content !== null && content === expansion.stacks.get(target.name)?.content;
    });
    return new Set(same.map(({ name }) => name));
  } catch {
    return null;
  }
}
