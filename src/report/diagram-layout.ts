/** An arrow between two nodes, which are numbered: `to` waits for `from`. */
export interface Arrow {
  readonly from: number;
  readonly to: number;
  readonly label: string;
}

/**
 * Sorts the nodes by what they wait for, and omits arrows that a longer path implies. Null when the arrows form a cycle.
 * Cubic in the number of nodes at worst: for a few hundred nodes.
 */
export function reduceArrows(
  nodes: number,
  arrows: readonly Arrow[],
): { readonly order: readonly number[]; readonly arrows: readonly Arrow[] } | null {
  const { next, order } = sortByArrows(nodes, arrows);
  return order.length < nodes ? null : { order, arrows: withoutImplied(order, next) };
}

/** The nodes, each after those it waits for, without those that wait for each other; and the arrows from each node. */
export function sortByArrows(
  nodes: number,
  arrows: readonly Arrow[],
): { readonly order: readonly number[]; readonly next: readonly (readonly Arrow[])[] } {
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
  return { order, next };
}

function withoutImplied(order: readonly number[], next: readonly (readonly Arrow[])[]): readonly Arrow[] {
  const place = new Map(order.map((node, index) => [node, index]));
  const reached: Set<number>[] = next.map(() => new Set());
  const kept: Arrow[] = [];
  for (const node of [...order].reverse()) {
    const reachable = reached[node] ?? new Set();
    const near = [...(next[node] ?? [])].sort((a, b) => (place.get(a.to) ?? 0) - (place.get(b.to) ?? 0));
    for (const arrow of near) {
      if (reachable.has(arrow.to)) continue;
      kept.push(arrow);
      reachable.add(arrow.to);
      for (const further of reached[arrow.to] ?? []) reachable.add(further);
    }
  }
  return kept;
}

/** Where time goes in a drawing. */
export type Direction = "right" | "down";

/** The places of nodes and arrows in a drawing, in pixels. */
export interface DiagramLayout {
  /** In which direction an arrow ends that does not run straight. */
  readonly direction: Direction;
  readonly width: number;
  readonly height: number;
  /** The upper left corner of each node, by its number; absent for nodes without arrows. */
  readonly nodes: ReadonlyMap<number, { readonly x: number; readonly y: number }>;
  /** The points of each arrow, from the edge where one node ends to the edge where the other begins. */
  readonly routes: readonly { readonly arrow: Arrow; readonly points: readonly (readonly [number, number])[] }[];
}

export const nodeWidth = 222;
export const nodeHeight = 58;
const bendHeight = 10;

/** Sizes along the direction of time, and across it. */
const sizes = {
  right: { length: nodeWidth, lengthGap: 38, breadth: nodeHeight, breadthGap: 14 },
  down: { length: nodeHeight, lengthGap: 36, breadth: nodeWidth, breadthGap: 20 },
} as const satisfies { readonly [D in Direction]: object };

type Sizes = (typeof sizes)[Direction];

/** A place in a column: of a node, or of an arrow that passes through the column. */
interface Cell {
  readonly node: number | null;
  readonly layer: number;
  readonly before: Cell[];
  readonly after: Cell[];
  rank: number;
  y: number;
}

/**
 * A layered drawing, time from left to right or downwards: each node is in the first column after those it waits for,
 * long arrows bend at every column, columns are sorted so that few arrows cross, and rows are moved towards their
 * neighbours. Downwards, columns are what is beside each other.
 *
 * @param order the nodes, each after those it waits for
 */
export function layoutDiagram(
  order: readonly number[],
  arrows: readonly Arrow[],
  direction: Direction = "right",
): DiagramLayout {
  const { columns, chains } = fillColumns(order, arrows);
  sortColumns(columns);
  placeRows(columns, sizes[direction]);
  return measure(columns, chains, direction);
}

/** The most nodes of a row. */
export const rowOfChain = 4;

/**
 * A chain of nodes, each with an arrow to the next one: in rows, of which every second one goes back to the left. The
 * nodes are numbered in their order.
 */
export function layoutChain(arrows: readonly Arrow[]): DiagramLayout {
  const margin = 4;
  const { length, lengthGap, breadth } = sizes.right;
  const rowGap = sizes.down.lengthGap;
  const count = arrows.length + 1;
  const at = (node: number): { readonly x: number; readonly y: number } => {
    const row = Math.floor(node / rowOfChain);
    const place = row % 2 === 0 ? node % rowOfChain : rowOfChain - 1 - (node % rowOfChain);
    return { x: margin + place * (length + lengthGap), y: margin + row * (breadth + rowGap) };
  };
  const routes = arrows.map((arrow) => {
    const [from, to] = [at(arrow.from), at(arrow.to)];
    const middle = length / 2;
    const points: readonly (readonly [number, number])[] =
      from.y !== to.y
        ? [
            [from.x + middle, from.y + breadth],
            [to.x + middle, to.y],
          ]
        : from.x < to.x
          ? [
              [from.x + length, from.y + breadth / 2],
              [to.x, to.y + breadth / 2],
            ]
          : [
              [from.x, from.y + breadth / 2],
              [to.x + length, to.y + breadth / 2],
            ];
    return { arrow, points };
  });
  const rows = Math.ceil(count / rowOfChain);
  return {
    direction: "right",
    width: Math.min(count, rowOfChain) * (length + lengthGap) - lengthGap + 2 * margin,
    height: rows * (breadth + rowGap) - rowGap + 2 * margin,
    nodes: new Map(Array.from({ length: count }, (_, node) => [node, at(node)])),
    routes,
  };
}

/** An arrow with the cells that it passes through, its nodes included. */
interface Chain {
  readonly arrow: Arrow;
  readonly cells: readonly Cell[];
}

function fillColumns(
  order: readonly number[],
  arrows: readonly Arrow[],
): { readonly columns: Cell[][]; readonly chains: readonly Chain[] } {
  const layers = layersOf(order, arrows);
  const nodes = new Map<number, Cell>();
  const columns: Cell[][] = [];
  const add = (node: number | null, layer: number): Cell => {
    const cell: Cell = { node, layer, before: [], after: [], rank: 0, y: 0 };
    (columns[layer] ??= []).push(cell);
    return cell;
  };
  for (const node of order) {
    const layer = layers.get(node);
    if (layer !== undefined) nodes.set(node, add(node, layer));
  }
  const chains = arrows.flatMap((arrow) => {
    const from = nodes.get(arrow.from);
    const to = nodes.get(arrow.to);
    if (from === undefined || to === undefined) return [];
    const cells = [from];
    for (let layer = from.layer + 1; layer < to.layer; layer += 1) cells.push(add(null, layer));
    cells.push(to);
    for (const [index, cell] of cells.entries()) {
      const following = cells[index + 1];
      if (following === undefined) break;
      cell.after.push(following);
      following.before.push(cell);
    }
    return [{ arrow, cells }];
  });
  return { columns, chains };
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

/** Sweeps over the columns in both directions: every cell goes to the mean rank of its neighbours. */
function sortColumns(columns: readonly Cell[][]): void {
  const number = (column: readonly Cell[]): void => column.forEach((cell, index) => (cell.rank = index));
  columns.forEach(number);
  for (let round = 0; round < 4; round += 1) {
    const forward = round % 2 === 0;
    for (const column of forward ? columns : [...columns].reverse()) {
      const preferred = new Map(column.map((cell) => [cell, meanOf(cell, forward, "rank")]));
      column.sort((a, b) => (preferred.get(a) ?? 0) - (preferred.get(b) ?? 0) || a.rank - b.rank);
      number(column);
    }
  }
}

/** Sweeps over the columns in both directions: every cell moves towards the mean height of its neighbours. */
function placeRows(columns: readonly Cell[][], size: Sizes): void {
  for (const column of columns) {
    let y = 0;
    for (const cell of column) {
      cell.y = y + heightOf(cell, size) / 2;
      y += heightOf(cell, size) + size.breadthGap;
    }
  }
  for (let round = 0; round < 6; round += 1) {
    const forward = round % 2 === 0;
    for (const column of forward ? columns : [...columns].reverse()) {
      const preferred = column.map((cell) => meanOf(cell, forward, "y"));
      const heights = column.map((cell) => heightOf(cell, size) + size.breadthGap);
      spread(preferred, heights).forEach((y, index) => {
        const cell = column[index];
        if (cell !== undefined) cell.y = y;
      });
    }
  }
}

function measure(columns: readonly Cell[][], chains: readonly Chain[], direction: Direction): DiagramLayout {
  const size = sizes[direction];
  let top = Infinity;
  let bottom = 0;
  for (const cell of columns.flat()) {
    top = Math.min(top, cell.y - heightOf(cell, size) / 2);
    bottom = Math.max(bottom, cell.y + heightOf(cell, size) / 2);
  }
  const margin = 4;
  const start = (cell: Cell): number => margin + cell.layer * (size.length + size.lengthGap);
  const middle = (cell: Cell): number => Math.round(cell.y - top + margin);
  const point = (along: number, across: number): readonly [number, number] =>
    direction === "right" ? [along, across] : [across, along];
  const nodes = new Map(
    columns.flat().flatMap((cell) => {
      const [x, y] = point(start(cell), middle(cell) - size.breadth / 2);
      return cell.node === null ? [] : [[cell.node, { x, y }]];
    }),
  );
  const routes = chains.map(({ arrow, cells }) => ({
    arrow,
    points: cells.flatMap((cell, index): readonly (readonly [number, number])[] => {
      const from = point(start(cell), middle(cell));
      const to = point(start(cell) + size.length, middle(cell));
      return index === 0 ? [to] : index === cells.length - 1 ? [from] : [from, to];
    }),
  }));
  const [width, height] = point(
    Math.max(0, columns.length * (size.length + size.lengthGap) - size.lengthGap) + 2 * margin,
    columns.length === 0 ? 0 : Math.ceil(bottom - top) + 2 * margin,
  );
  return { direction, width, height, nodes, routes };
}

function heightOf(cell: Cell, size: Sizes): number {
  return cell.node === null ? bendHeight : size.breadth;
}

/** The mean of the neighbours that a sweep has passed; the cell's own value when it has none. */
function meanOf(cell: Cell, forward: boolean, member: "rank" | "y"): number {
  const neighbours = forward ? cell.before : cell.after;
  if (neighbours.length === 0) return cell[member];
  return neighbours.reduce((sum, each) => sum + each[member], 0) / neighbours.length;
}

/**
 * Places items of given heights one below the other, in order and without overlap, with each middle as near as possible
 * (least squares) to the preferred one. Linear: items that push each other are merged into blocks that move as one.
 */
export function spread(preferred: readonly number[], heights: readonly number[]): readonly number[] {
  // Relative to the offsets, "no overlap" becomes "not decreasing", which pooling neighbours solves.
  const offsets: number[] = [];
  let offset = 0;
  for (const [index, height] of heights.entries()) {
    offset += index === 0 ? 0 : (height + (heights[index - 1] ?? 0)) / 2;
    offsets.push(offset);
  }
  const blocks: { sum: number; size: number }[] = [];
  for (const [index, middle] of preferred.entries()) {
    let block = { sum: middle - (offsets[index] ?? 0), size: 1 };
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
