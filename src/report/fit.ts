import { guardRunner } from "../text/visible.js";

/** A part of a document that can be shortened by whole items. */
export interface FittingBlock {
  /** Precedes the items. */
  readonly opening: string;
  readonly items: readonly FittingItem[];
  /** The part of the remaining room that it may take, 0 to 1. */
  readonly share: number;
  /** The line about `n` omitted items. */
  readonly omitted: (n: number) => string;
}

/** One item of a list in two lengths, made only when needed. */
export interface FittingItem {
  readonly full: () => string;
  /** A shorter text that still names it; null when it may be omitted (and is counted). */
  readonly compact: (() => string) | null;
}

/**
 * Puts a document together in at most `max` characters. Head and foot are never shortened; a block that does not fit
 * its share is shortened item by item and ends with the number of omitted items. Blocks without items are left out.
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

/** The items that fit, each whole. */
export interface Fitted {
  readonly texts: readonly string[];
  /** Items shown in their short form. */
  readonly shortened: number;
  /** Items not shown at all. */
  readonly omitted: number;
  readonly length: number;
}

/**
 * Fits items into `room` characters, one character between them: in full as many as possible while all the others
 * still fit in their short form; else as many short ones as fit.
 */
export function fitItems(items: readonly FittingItem[], room: number): Fitted {
  const short = items.map((item) => item.compact?.() ?? null);
  // What the short forms of the items to come need.
  let reserved = 0;
  for (const text of short) reserved += cost(text);
  if (reserved > room) return onlyShort(short, room);
  const texts: string[] = [];
  let length = 0;
  let index = 0;
  for (; index < items.length; index += 1) {
    const full = items[index]?.full() ?? "";
    reserved -= cost(short[index] ?? null);
    if (length + full.length + 1 + reserved > room) break;
    texts.push(full);
    length += full.length + 1;
  }
  const rest = short.slice(index).filter((text) => text !== null);
  for (const text of rest) length += text.length + 1;
  return { texts: [...texts, ...rest], shortened: rest.length, omitted: items.length - index - rest.length, length };
}

function cost(text: string | null): number {
  return text === null ? 0 : text.length + 1;
}

function onlyShort(short: readonly (string | null)[], room: number): Fitted {
  const texts: string[] = [];
  let length = 0;
  for (const text of short) {
    if (text === null || length + text.length + 1 > room) continue;
    texts.push(text);
    length += text.length + 1;
  }
  return { texts, shortened: texts.length, omitted: short.length - texts.length, length };
}
