/** One item of a list in two lengths, made only when needed. */
export interface FittingItem {
  readonly full: () => string;
  /** A shorter text that still names it; null when it may be omitted (and is counted). */
  readonly compact: (() => string) | null;
  /** Higher ones are shown in full first; default: 0. */
  readonly rank?: number;
}

/** The items that fit, each whole. */
export interface Fitted {
  /** By place: null for an item that is not shown. */
  readonly shown: readonly (string | null)[];
  /** Items shown in their short form, and not at all. */
  readonly shortened: number;
  readonly omitted: number;
  readonly size: number;
}

/** How items are fitted. */
interface FitOptions {
  readonly room: number;
  /** The part of the room for full forms when not even the short ones fit; default: none. */
  readonly shareOfFull?: number;
  /** The size of a text; default: its characters. */
  readonly sizeOf?: (text: string) => number;
}

/** So many items may be too long before full forms are given up: a page of hostile values must not take forever. */
const mostMisfits = 20;

/**
 * Fits items, one character between them: in full as many as possible while all the others still fit in their short
 * form; else as many short ones as fit.
 */
export function fitItems(items: readonly FittingItem[], options: FitOptions): Fitted {
  const { room, shareOfFull = 0, sizeOf = (text) => text.length } = options;
  const cost = (text: string | null): number => (text === null ? 0 : sizeOf(text) + 1);
  const short = items.map(({ compact }) => compact?.() ?? null);
  let reserved = short.reduce((sum, text) => sum + cost(text), 0);
  const isCrowded = reserved > room;
  const shown = items.map((): string | null => null);
  const waiting: number[] = [];
  let [size, misfits] = [0, 0];
  for (const place of [...items.keys()].sort((a, b) => (items[b]?.rank ?? 0) - (items[a]?.rank ?? 0) || a - b)) {
    const own = cost(short[place] ?? null);
    const left = (isCrowded ? room * shareOfFull : room - reserved + own) - size;
    const full = left > 0 && misfits < mostMisfits ? (items[place]?.full() ?? "") : null;
    if (full === null || cost(full) > left) {
      waiting.push(place);
      misfits += 1;
    } else {
      shown[place] = full;
      size += cost(full);
      reserved -= own;
    }
  }
  let shortened = 0;
  for (const place of waiting) {
    const text = short[place] ?? null;
    if (text === null || size + cost(text) > room) continue;
    shown[place] = text;
    size += cost(text);
    shortened += 1;
  }
  return { shown, shortened, omitted: waiting.length - shortened, size };
}
