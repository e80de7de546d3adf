import { type Impact, impactRank } from "../kinds/impact.js";
import {
  type FieldChange,
  type Plan,
  type Refusal,
  type Warning,
  commitWords,
  shownCommit,
} from "../plan/plan-format.js";
import { cut, listFew } from "../core/text.js";
import { visibleLine } from "../core/visible.js";
import { type Direction, type FieldLimits, type FieldView, fieldView } from "./field-view.js";
import type { Palette } from "./styles.js";

/** What a plan or drift says, from which each output is written. Texts of `headline` are safe for one line. */
export interface ReportView {
  readonly name: "plan" | "drift";
  /** `Plan for edge-prod` */
  readonly title: string;
  readonly stack: string;
  readonly baseUrl: string;
  readonly toolVersion: string;
  /** What it was made from; names the commit of `--ref`. */
  readonly made: Made;
  readonly headline: Headline;
  /** Says which side of a difference is which. */
  readonly legend: string | null;
  readonly sections: readonly ReportSection[];
  readonly totals: readonly Total[];
  readonly refusals: readonly Refusal[];
  readonly warnings: readonly Warning[];
}

/** The commit of `--ref`, and its name. */
export type Made = Partial<Pick<Plan, "commit" | "ref" | "comparedWith">>;

/** The worst of a report in a sentence. */
export interface Headline {
  readonly impact: Impact;
  /** The impact or another word for what there is; "" for nothing. */
  readonly label: string;
  readonly sentence: string;
  /** Why the worst matters, when the sentence doesn't say. */
  readonly why: string | null;
  /** The number of refusals and their codes; null without any. */
  readonly refusal: string | null;
}

/** A number at the head of a report. */
export interface Total {
  readonly count: number;
  readonly label: string;
  /** The group of the items that it counts. */
  readonly group: string;
}

/** Changes or findings below one heading. */
export interface ReportSection {
  readonly id: string;
  readonly title: string;
  /** What the heading means. */
  readonly hint: string | null;
  readonly items: readonly ReportItem[];
}

/** What headings show of a change or a finding. */
export interface ReportedResource {
  readonly address: string;
  readonly id: string | null;
  readonly impact: Impact;
  readonly source: { readonly file: string; readonly line: number } | null;
}

/** A change or a finding. */
export interface ReportItem extends ReportedResource {
  /** Its action or its type. */
  readonly group: string;
  readonly mark: string;
  readonly paint: keyof Palette;
  /** Who changed it: words and the colour that they have. */
  readonly flag: { readonly text: string; readonly short: string; readonly paint: "change" | "alarm" } | null;
  /** What was found, or "". */
  readonly sentence: string;
  /** Why it has its impact. */
  readonly reason: string | null;
  /** Whether no field gives that reason. */
  readonly isOwnReason: boolean;
  readonly notes: readonly string[];
  readonly fields: readonly FieldChange[];
  readonly direction: Direction;
}

/** The fields of an item, ready to be laid out. */
export function itemFields({ direction, fields }: ReportItem, limits: FieldLimits): readonly FieldView[] {
  return fields.map((field) => fieldView(field, limits, direction));
}

/** The id of a resource, unless its address ends with it. */
export function shownId({ address, id }: ReportedResource): string | null {
  return id === null || address.endsWith(`/${id}`) ? null : id;
}

/** `edge/api.yaml:3`; null without a manifest. */
export function placeOf({ source }: Pick<ReportedResource, "source">): string | null {
  return source === null ? null : `${source.file}:${source.line}`;
}

/** The worst impact first. */
export function worstFirst<T extends { readonly impact: Impact }>(items: readonly T[]): readonly T[] {
  return items.toSorted((a, b) => impactRank(b.impact) - impactRank(a.impact));
}

/** Why the worst of some fields matters; null when nothing is said of it. */
export function worstReason(fields: readonly FieldChange[], impact: Impact): string | null {
  return fields.find((field) => field.impact === impact)?.reason ?? null;
}

/** `Manifests of commit 0123456789ab (HEAD~1)`; null when they were read from the disk. Safe for one line of plain text. */
export function commitLine(made: Made): string | null {
  const [shown, offline] = [shownCommit(made), offlineLine(made)];
  const parts = [
    ...(offline === null ? [] : [offline]),
    ...(shown === null ? [] : [`Manifests of ${visibleLine(cut(commitWords(shown), 300))}`]),
  ];
  return parts.length === 0 ? null : parts.join(". ");
}

/** What stands for the live account, with `--offline`. */
export function offlineLine({ comparedWith }: Made): string | null {
  return comparedWith === undefined
    ? null
    : `Compared with ${visibleLine(cut(comparedWith, 300))}, not with the live account`;
}

/** Of warnings with the same words, so many addresses are shown; the rest is counted. */
const mostAddresses = 6;

/** Warnings with the same words as one, with all of their addresses. */
export function distinctWarnings(warnings: readonly Warning[]): readonly Warning[] {
  return groupSame(warnings, ({ code, message }) => `${code} ${message}`).map((same) => {
    const addresses = same.flatMap(({ address }) => address ?? []);
    return addresses.length === 0 ? same[0] : { ...same[0], address: listFew(addresses, mostAddresses) };
  });
}

/** Entries with the same key together, in the order of the first of each. */
export function groupSame<T>(entries: readonly T[], keyOf: (entry: T) => string): readonly (readonly [T, ...T[]])[] {
  const groups = new Map<string, [T, ...T[]]>();
  for (const entry of entries) {
    const group = groups.get(keyOf(entry));
    if (group === undefined) groups.set(keyOf(entry), [entry]);
    else group.push(entry);
  }
  return [...groups.values()];
}
