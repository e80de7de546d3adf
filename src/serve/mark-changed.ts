import { contentOf } from "./expand-source.js";
import type { FleetSource, StackTarget } from "./fleet/fleet.js";
import type { ServeDeps } from "./serve-deps.js";
import { directoryOf } from "./git/source-reader.js";
import { type ServeState, type SourceExpansion, markDue } from "./serve-state.js";

/** What was looked at before so many earlier commits is marked without a look. */
const mostEarlierCommits = 20;

/** Marks as due exactly the stacks whose directory a new commit changed, or whose entry is new or changed. */
export async function markChanged(
  state: ServeState,
  source: FleetSource,
  { previous, expansion }: { readonly previous: SourceExpansion | null; readonly expansion: SourceExpansion },
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
    const same = index < mostEarlierCommits ? await unchangedSince(commit, { source, targets, expansion }, deps) : null;
    for (const { name } of targets) if (same?.has(name) !== true) changed.push(name);
  }
  for (const name of changed) markDue(state, name, deps.clock.now());
  return changed.length;
}

/** Marks the stacks that wait for an approval, and whose tags are others than when they were last listed. */
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

/** Which targets' directories are now as they were at an earlier commit; null = that commit can't be read any more. */
async function unchangedSince(
  commit: string,
  {
    source,
    targets,
    expansion,
  }: { readonly source: FleetSource; readonly targets: readonly StackTarget[]; readonly expansion: SourceExpansion },
  { reader }: Pick<ServeDeps, "reader">,
): Promise<ReadonlySet<string> | null> {
  try {
    const ids = await (
      await reader.open(source, commit)
    ).directoryIds([...new Set(targets.map(({ config }) => directoryOf(config)))]);
    const same = targets.filter((target) => {
      const content = contentOf(target, ids);
      return content !== null && content === expansion.stacks.get(target.name)?.content;
    });
    return new Set(same.map(({ name }) => name));
  } catch {
    return null;
  }
}
