import type { Json } from "../core/json.js";
import type { FieldChange } from "../plan/plan-format.js";

/** The largest HTML report, in bytes: browsers open it at once, and forges and mail servers take it. */
export const mostPageBytes = 5_000_000;

/** Kept for the style sheet, the script, the head and the notes about what is left out, in bytes. */
export const frameBytes = 200_000;

/** One item of a list on a page. */
export interface PageItem {
  /** Higher ones are shown first when not all fit. */
  readonly rank: number;
  /** Its markup from the longest form to the shortest; null for a form that would be far too long to try. */
  readonly forms: readonly (() => string | null)[];
  /** How many of the forms show all that changes; default: the first one does. */
  readonly whole?: number;
}

/** The items that fit, each whole. */
export interface FittedPage {
  /** By place: null for an item that is not shown. */
  readonly shown: readonly (string | null)[];
  /** How many are shown in a shorter form, and how many not at all. */
  readonly shortened: number;
  readonly omitted: number;
  /** Of what is shown. */
  readonly bytes: number;
}

/** How much of the room the long forms get when not everything fits. The rest is for lines that name the others. */
const shareOfLong = 0.6;

/** So many items may be too long before the long forms are given up: a page of hostile values must not take forever. */
const mostMisfits = 20;

/**
 * Fits items into a number of bytes: all in their longest form if possible, or in another that shows all that changes.
 * Otherwise by rank: those first in the longest form that fits into a part of the room, the rest in their shortest form,
 * and what is left not at all. Renders little more than it shows.
 */
export function fitPage(all: readonly PageItem[], room: number): FittedPage {
  const items = all.map((item) => ({ ...item, forms: item.forms.map((form) => onceIfTooLong(form, room)) }));
  const levels = items.reduce((most, { whole = 1 }) => Math.max(most, whole), 1);
  for (let level = 0; level < levels; level += 1) {
    const fitted = allInForm(level, items, room);
    if (fitted !== null) return fitted;
  }
  return byRank(items, room);
}

/** A form that is not laid out again once it was too long for the whole room: it never fits. */
function onceIfTooLong(form: () => string | null, room: number): () => string | null {
  let tooLong = false;
  return () => {
    const text = tooLong ? null : form();
    tooLong = text === null || bytesOf(text) > room;
    return tooLong ? null : text;
  };
}

function allInForm(level: number, items: readonly PageItem[], room: number): FittedPage | null {
  const shown: string[] = [];
  let bytes = 0;
  for (const { forms, whole = 1 } of items) {
    const text = forms[Math.min(level, whole - 1)]?.() ?? null;
    bytes += text === null ? room + 1 : bytesOf(text);
    if (text === null || bytes > room) return null;
    shown.push(text);
  }
  return { shown, shortened: 0, omitted: 0, bytes };
}

function byRank(items: readonly PageItem[], room: number): FittedPage {
  const shown = new Array<string | null>(items.length).fill(null);
  const order = Array.from(items.keys()).sort((a, b) => (items[b]?.rank ?? 0) - (items[a]?.rank ?? 0) || a - b);
  let [bytes, shortened, omitted, misfits] = [0, 0, 0, 0];
  for (const place of order) {
    const { forms = [], whole = 1 } = items[place] ?? {};
    const long = misfits < mostMisfits ? firstThatFits(forms.slice(0, -1), room * shareOfLong - bytes) : null;
    if (long === null && misfits < mostMisfits) misfits += 1;
    const fitted = long ?? firstThatFits(forms.slice(-1), room - bytes);
    // The lines are much alike: where one does not fit, the others would hardly.
    if (fitted === null) {
      omitted = shown.filter((text) => text === null).length;
      break;
    }
    shown[place] = fitted.text;
    bytes += fitted.bytes;
    if (forms.length > 1 && (fitted !== long || fitted.form >= whole)) shortened += 1;
  }
  return { shown, shortened, omitted, bytes };
}

interface Fitting {
  readonly text: string;
  readonly bytes: number;
  readonly form: number;
}

function firstThatFits(forms: readonly (() => string | null)[], room: number): Fitting | null {
  for (const [form, render] of forms.entries()) {
    const text = room <= 0 ? null : render();
    const bytes = text === null ? 0 : bytesOf(text);
    if (text !== null && bytes <= room) return { text, bytes, form };
  }
  return null;
}

/** The bytes of a text with the line break after it. */
function bytesOf(text: string): number {
  return Buffer.byteLength(text, "utf8") + 1;
}

/** What long values are cut to, in characters, before a page is tried with them. */
const mostCharacters = 20_000_000;

/** Whether the values of some fields are too long to be laid out, whatever comes of it. */
export function isTooLong(fields: readonly FieldChange[]): boolean {
  let left = mostCharacters;
  const weigh = (value: Json | undefined): void => {
    left -= typeof value === "string" ? value.length + 4 : 4;
    if (left < 0 || typeof value !== "object" || value === null) return;
    for (const member of Object.values(value)) if (left >= 0) weigh(member);
  };
  for (const { after, before } of fields) {
    weigh(before);
    weigh(after);
    left -= 200;
  }
  return left < 0;
}
