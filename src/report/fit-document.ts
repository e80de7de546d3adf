import { guardRunner } from "./escape.js";
import { fitItems, type FittingItem } from "./fit-items.js";

/** A part of a document that can be shortened by whole items. */
export interface FittingBlock {
  /** Stands before the items. */
  readonly opening: string;
  readonly items: readonly FittingItem[];
  /** The part of what room is left that it may take, 0 to 1. */
  readonly share: number;
  /** Told when items are left out: how many. */
  readonly omitted: (n: number) => string;
}

/**
 * Puts a document together in at most `max` characters. Head and foot are always whole; a block that does not fit
 * its share is shortened item by item and says how many it left out. Blocks without items vanish.
 */
export function fitDocument(head: string, blocks: readonly FittingBlock[], foot: string, max: number): string {
  const present = blocks.filter((block) => block.items.length > 0);
  const frames = present.map((block) => guardRunner(`\n${block.opening}\n`));
  const parts = [guardRunner(head)];
  const end = guardRunner(foot);
  let room = max - (parts[0]?.length ?? 0) - end.length - 2;
  for (const [index, block] of present.entries()) {
    room -= (frames[index]?.length ?? 0) + guardRunner(block.omitted(block.items.length)).length + 4;
  }
  for (const [index, block] of present.entries()) {
    const fitted = fitItems(block.items.map(guardedItem), Math.max(0, Math.floor(room * block.share)));
    room -= fitted.length;
    const note = fitted.omitted > 0 ? [`\n${guardRunner(block.omitted(fitted.omitted))}`] : [];
    parts.push(`${frames[index] ?? ""}${[...fitted.texts, ...note].join("\n")}`);
  }
  return `${[...parts, end].join("\n")}\n`;
}

function guardedItem(item: FittingItem): FittingItem {
  const { compact } = item;
  return {
    full: () => guardRunner(item.full()),
    compact: compact === null ? null : () => guardRunner(compact()),
  };
}
