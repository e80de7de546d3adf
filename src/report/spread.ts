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
