/** Where a drawing puts things, in pixels. */
export interface DiagramLayout {
  readonly width: number;
  readonly height: number;
  /** Left upper corner of each node; by node number, absent for nodes without arrows. */
  readonly nodes: ReadonlyMap<number, { readonly x: number; readonly y: number }>;
  /** The points that each arrow passes, from the right edge of one node to the left edge of another. */
  readonly routes: readonly { readonly arrow: Arrow; readonly points: readonly (readonly [number, number])[] }[];
}

export const nodeWidth = 212;
export const nodeHeight = 44;
const columnGap = 54;
const rowGap = 14;
const bendHeight = 10;

/** Something in a column: a node, or the bend of an arrow that passes the column. */
interface Cell {
  readonly node: number | null;
  readonly layer: number;
  readonly before: Cell[];
  readonly after: Cell[];
  rank: number;
  y: number;
}

/**
 * A layered drawing, time from left to right: each node in the first column after all that it waits for, long arrows
 * bent at every column, columns sorted to cross little, rows moved towards their neighbours.
 *
 * @param order the nodes, each after all it waits for
 */
export function layoutDiagram(order: readonly number[], arrows: readonly Arrow[]): DiagramLayout {
  const layers = layersOf(order, arrows);
  const cells = new Map<number, Cell>();
  const columns: Cell[][] = [];
  const add = (node: number | null, layer: number): Cell => {
    const cell: Cell = { node, layer, before: [], after: [], rank: 0, y: 0 };
    (columns[layer] ??= []).push(cell);
    return cell;
  };
  for (const node of order) {
    const layer = layers.get(node);
    if (layer !== undefined) cells.set(node, add(node, layer));
  }
  const chains = arrows.flatMap((arrow) => {
    const from = cells.get(arrow.from);
    const to = cells.get(arrow.to);
    if (from === undefined || to === undefined) return [];
    const chain = [from];
    for (let layer = from.layer + 1; layer < to.layer; layer += 1) chain.push(add(null, layer));
    chain.push(to);
    for (const [index, cell] of chain.entries()) {
      const following = chain[index + 1];
      if (following === undefined) break;
      cell.after.push(following);
      following.before.push(cell);
    }
    return [{ arrow, chain }];
  });
  sortColumns(columns);
  placeRows(columns);
  return finish(columns, chains);
}

function layersOf(order: readonly number[], arrows: readonly Arrow[]): ReadonlyMap<number, number> {
  const linked = new Set(arrows.flatMap(({ from, to }) => [from, to]));
  const outgoing = new Map<number, number[]>();
  for (const { from, to } of arrows) {
    const list = outgoing.get(from);
    if (list === undefined) outgoing.set(from, [to]);
    else list.push(to);
  }
  const layers = new Map<number, number>();
  for (const node of order) {
    if (!linked.has(node)) continue;
    const layer = layers.get(node) ?? 0;
    layers.set(node, layer);
    for (const to of outgoing.get(node) ?? []) layers.set(to, Math.max(layers.get(to) ?? 0, layer + 1));
  }
  return layers;
}

function sortColumns(columns: readonly Cell[][]): void {
  const number = (column: readonly Cell[]): void => column.forEach((cell, index) => (cell.rank = index));
  columns.forEach(number);
  for (let round = 0; round < 4; round += 1) {
    const forward = round % 2 === 0;
    for (const column of forward ? columns : [...columns].reverse()) {
      const wish = new Map(
        column.map((cell) => [
          cell,
          mean(
            (forward ? cell.before : cell.after).map((each) => each.rank),
            cell.rank,
          ),
        ]),
      );
      column.sort((a, b) => (wish.get(a) ?? 0) - (wish.get(b) ?? 0) || a.rank - b.rank);
      number(column);
    }
  }
}

function placeRows(columns: readonly Cell[][]): void {
  for (const column of columns) {
    let y = 0;
    for (const cell of column) {
      cell.y = y + heightOf(cell) / 2;
      y += heightOf(cell) + rowGap;
    }
  }
  for (let round = 0; round < 6; round += 1) {
    const forward = round % 2 === 0;
    for (const column of forward ? columns : [...columns].reverse()) {
      const wishes = column.map((cell) =>
        mean(
          (forward ? cell.before : cell.after).map((each) => each.y),
          cell.y,
        ),
      );
      const heights = column.map((cell) => heightOf(cell) + rowGap);
      spread(wishes, heights).forEach((y, index) => {
        const cell = column[index];
        if (cell !== undefined) cell.y = y;
      });
    }
  }
}

function finish(
  columns: readonly Cell[][],
  chains: readonly { readonly arrow: Arrow; readonly chain: readonly Cell[] }[],
): DiagramLayout {
  let top = Infinity;
  let bottom = 0;
  for (const cell of columns.flat()) {
    top = Math.min(top, cell.y - heightOf(cell) / 2);
    bottom = Math.max(bottom, cell.y + heightOf(cell) / 2);
  }
  const margin = 4;
  const left = (cell: Cell): number => margin + cell.layer * (nodeWidth + columnGap);
  const middle = (cell: Cell): number => Math.round(cell.y - top + margin);
  const nodes = new Map(
    columns
      .flat()
      .flatMap((cell) =>
        cell.node === null ? [] : [[cell.node, { x: left(cell), y: middle(cell) - nodeHeight / 2 }]],
      ),
  );
  const routes = chains.map(({ arrow, chain }) => ({
    arrow,
    points: chain.flatMap((cell, index): readonly (readonly [number, number])[] => {
      const start = [left(cell), middle(cell)] as const;
      const end = [left(cell) + nodeWidth, middle(cell)] as const;
      return index === 0 ? [end] : index === chain.length - 1 ? [start] : [start, end];
    }),
  }));
  return {
    width: Math.max(0, columns.length * (nodeWidth + columnGap) - columnGap) + 2 * margin,
    height: columns.length === 0 ? 0 : Math.ceil(bottom - top) + 2 * margin,
    nodes,
    routes,
  };
}

function heightOf(cell: Cell): number {
  return cell.node === null ? bendHeight : nodeHeight;
}

function mean(values: readonly number[], otherwise: number): number {
  if (values.length === 0) return otherwise;
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

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

/**
 * Puts things of given heights in a row, in their order and without overlap, as near as possible (least squares) to
 * where each would like its middle to be. Linear: things that push each other are merged into blocks that move as one.
 */
export function spread(wishes: readonly number[], heights: readonly number[]): readonly number[] {
  // Distances to the first thing turn "no overlap" into "not decreasing", which pooling neighbours solves.
  const offsets: number[] = [];
  let offset = 0;
  for (const [index, height] of heights.entries()) {
    offset += index === 0 ? 0 : (height + (heights[index - 1] ?? 0)) / 2;
    offsets.push(offset);
  }
  const blocks: { sum: number; size: number }[] = [];
  for (const [index, wish] of wishes.entries()) {
    let block = { sum: wish - (offsets[index] ?? 0), size: 1 };
    for (
      let last = blocks.at(-1);
      last !== undefined && last.sum / last.size > block.sum / block.size;
      last = blocks.at(-1)
    ) {
      block = { sum: block.sum + last.sum, size: block.size + last.size };
      blocks.pop();
    }
    blocks.push(block);
  }
  const starts = blocks.flatMap(({ sum, size }) => new Array<number>(size).fill(sum / size));
  return starts.map((start, index) => start + (offsets[index] ?? 0));
}
