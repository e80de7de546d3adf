/** An arrow between two numbered nodes: `to` waits for `from`. */
export interface Arrow {
  readonly from: number;
  readonly to: number;
  readonly label: string;
}

/**
 * Leaves out arrows that a longer way implies, as they only hide the others. Null when the arrows run in a circle.
 * Cubic in the number of nodes at worst: meant for a few hundred.
 */
export function reduceArrows(
  nodes: number,
  arrows: readonly Arrow[],
): { readonly order: readonly number[]; readonly arrows: readonly Arrow[] } | null {
  const next: Arrow[][] = Array.from({ length: nodes }, () => []);
  const waiting = new Array<number>(nodes).fill(0);
  for (const arrow of arrows) {
    next[arrow.from]?.push(arrow);
    waiting[arrow.to] = (waiting[arrow.to] ?? 0) + 1;
  }
  const order = waiting.flatMap((count, node) => (count === 0 ? [node] : []));
  for (let index = 0; index < order.length; index += 1) {
    for (const { to } of next[order[index] ?? -1] ?? []) {
      waiting[to] = (waiting[to] ?? 0) - 1;
      if (waiting[to] === 0) order.push(to);
    }
  }
  if (order.length < nodes) return null;
  return { order, arrows: withoutImplied(order, next) };
}

function withoutImplied(order: readonly number[], next: readonly (readonly Arrow[])[]): readonly Arrow[] {
  const place = new Map(order.map((node, index) => [node, index]));
  const reached: Set<number>[] = next.map(() => new Set());
  const kept: Arrow[] = [];
  for (const node of [...order].reverse()) {
    const mine = reached[node] ?? new Set();
    const near = [...(next[node] ?? [])].sort((a, b) => (place.get(a.to) ?? 0) - (place.get(b.to) ?? 0));
    for (const arrow of near) {
      if (mine.has(arrow.to)) continue;
      kept.push(arrow);
      mine.add(arrow.to);
      for (const further of reached[arrow.to] ?? []) mine.add(further);
    }
  }
  return kept;
}
