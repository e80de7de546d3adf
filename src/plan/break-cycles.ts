import type { PlannedOperation, Split } from "./draft.js";
import { hardEdges } from "./hard-edges.js";
import { strongComponents } from "./strong-components.js";

/** Operations that wait for each other in a circle. */
export interface Cycle {
  readonly drafts: readonly PlannedOperation[];
}

/** Sequences without circles, and the circles that could not be broken. */
export interface Acyclic {
  readonly sequences: readonly (readonly PlannedOperation[])[];
  readonly cycles: readonly Cycle[];
}

/**
 * Breaks circles (edges that swap or rotate hostports) by a temporary release: one operation of each circle is cut in
 * two, so that it lets go what another waits for before it takes what it gets. The one that keeps something else to
 * serve is preferred; otherwise the first.
 */
export function breakCycles(sequences: readonly (readonly PlannedOperation[])[]): Acyclic {
  let current = sequences;
  // Each round breaks one operation of every circle; a circle within a circle takes another round.
  for (;;) {
    const drafts = current.flat();
    const components = strongComponents(hardEdges(current, drafts));
    if (components.length === 0) return { sequences: current, cycles: [] };
    const cuts = new Map<PlannedOperation, Split>();
    const stuck: Cycle[] = [];
    for (const component of components) {
      const members = component.flatMap((index) => drafts[index] ?? []);
      const cut = bestCut(members);
      if (cut === null) stuck.push({ drafts: members });
      else cuts.set(cut.draft, cut.split);
    }
    if (cuts.size === 0) return { sequences: current, cycles: stuck };
    current = current.map((sequence) =>
      sequence.flatMap((draft) => {
        const split = cuts.get(draft);
        return split === undefined ? [draft] : [split.release, split.rest];
      }),
    );
  }
}

function bestCut(
  members: readonly PlannedOperation[],
): { readonly draft: PlannedOperation; readonly split: Split } | null {
  const wanted = new Set(members.flatMap((draft) => draft.takes));
  let first: { readonly draft: PlannedOperation; readonly split: Split } | null = null;
  for (const draft of members) {
    const claims = new Set(draft.frees.filter((claim) => wanted.has(claim)));
    const split = claims.size === 0 ? undefined : draft.split?.(claims);
    if (split === undefined) continue;
    if (split.keeps) return { draft, split };
    first ??= { draft, split };
  }
  return first;
}
