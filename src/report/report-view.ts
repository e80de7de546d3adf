import { visibleLine } from "../core/visible.js";
import { cut } from "../core/text.js";
import { type Impact, impactRank } from "../kinds/impact.js";
import {
  type FieldChange,
  type Plan,
  type Refusal,
  type Warning,
  commitWords,
  shownCommit,
} from "../plan/plan-format.js";
import type { Direction } from "./field-view.js";
import type { Palette } from "./styles.js";

/** What a plan or drift says: every output is written from it. Its own sentences are safe for one line. */
export interface ReportView {
  readonly name: "plan" | "drift";
  readonly title: string;
  readonly stack: string;
  readonly baseUrl: string;
  readonly toolVersion: string;
  /** Where the manifests are from, when not from the disk. */
  readonly from: string | null;
  readonly headline: Headline;
  /** Says which side of a difference is which. */
  readonly legend: string | null;
  readonly sections: readonly ReportSection[];
  /** A number at the head of a report, and the group of the items that it counts. */
  readonly totals: readonly { readonly count: number; readonly label: string; readonly group: string }[];
  readonly counts: string | null;
  readonly refusals: readonly Refusal[];
  readonly warnings: readonly Warning[];
  readonly steps: readonly Step[];
  readonly closing: readonly string[];
  readonly hash: string | null;
}

export interface Headline {
  readonly impact: Impact;
  /** The impact or another word for what there is; "" for nothing. */
  readonly label: string;
  readonly sentence: string;
  /** The number of refusals and their codes. */
  readonly refusal: string | null;
}

export interface ReportSection {
  readonly id: string;
  readonly title: string;
  readonly hint: string | null;
  /** Whether a comment shows all of it unfolded. */
  readonly open: boolean;
  readonly items: readonly ReportItem[];
}

export interface ReportItem {
  readonly address: string;
  /** Null when there is none, or the address ends with it. */
  readonly id: string | null;
  readonly impact: Impact;
  readonly source: { readonly file: string; readonly line: number } | null;
  readonly group: string;
  readonly mark: string;
  readonly paint: keyof Palette;
  readonly flag: { readonly text: string; readonly paint: "change" | "alarm" } | null;
  /** What was found, or "". */
  readonly sentence: string;
  readonly reason: string | null;
  /** Whether no field gives that reason. */
  readonly isOwnReason: boolean;
  readonly notes: readonly string[];
  readonly fields: readonly FieldChange[];
  readonly direction: Direction;
}

export interface Step {
  readonly id: string;
  /** `set traffic_policy` */
  readonly does: string;
  /** `set traffic_policy of TLSEdge/api` */
  readonly title: string;
  readonly address: string;
  /** `PATCH /edges/tls/…` */
  readonly request: string;
  readonly after: readonly string[];
  /** Why it has its place in the order. */
  readonly why: string | null;
  /** Whether a reader should know its place: a temporary release, a wait for something released, a step of a replacement. */
  readonly isUnusual: boolean;
}

export function shownId(address: string, id: string | null): string | null {
  return id === null || address.endsWith(`/${id}`) ? null : id;
}

/** `edge/api.yaml:3`; null without a manifest. */
export function placeOf({ source }: Pick<ReportItem, "source">): string | null {
  return source === null ? null : `${source.file}:${source.line}`;
}

export function worstFirst<T extends { readonly impact: Impact }>(items: readonly T[]): readonly T[] {
  return items.toSorted((a, b) => impactRank(b.impact) - impactRank(a.impact));
}

/** Why the worst of some fields matters. */
export function worstReason(fields: readonly FieldChange[], impact: Impact): string | null {
  return fields.find((field) => field.impact === impact)?.reason ?? null;
}

/** `Manifests of commit 0123456789ab (HEAD~1)`; null when they were read from the disk. Safe for one line. */
export function commitLine(made: Partial<Pick<Plan, "commit" | "comparedWith" | "ref">>): string | null {
  const { comparedWith: base } = made;
  const shown = shownCommit(made);
  const parts = [
    ...(base === undefined ? [] : [`Compared with ${visibleLine(cut(base, 300))}, not with the live account`]),
    ...(shown === null ? [] : [`Manifests of ${visibleLine(cut(commitWords(shown), 300))}`]),
  ];
  return parts.length === 0 ? null : parts.join(". ");
}

/** So many that are alike are one entry: more would have no place in a report that is cut by whole entries. */
const leastAlike = 3;
const mostAlike = 500;

/** A change or a finding, or several that are alike in all but their address. */
export interface ItemGroup extends ReportItem {
  /** The addresses of several; empty for one. */
  readonly addresses: readonly string[];
}

/** Updates of the same fields of one kind together. What goes away always stands for itself. */
export function groupItems(items: readonly ReportItem[]): readonly ItemGroup[] {
  const groups = groupSame(
    items,
    (item) => {
      const { address, fields, flag, group, impact, notes, reason, sentence } = item;
      if ((group !== "update" && group !== "modified") || fields.length === 0) return item;
      return JSON.stringify([address.split("/", 1), group, impact, flag, sentence, reason, notes, fields]);
    },
    mostAlike,
  );
  return groups.flatMap((same): readonly ItemGroup[] => {
    if (same.length < leastAlike) return same.map((item) => ({ ...item, addresses: [] }));
    const [first] = same;
    const address = `${same.length} ${first.address.split("/", 1).join("")}`;
    return [{ ...first, address, id: null, source: null, addresses: same.map((item) => item.address) }];
  });
}

export interface Notice {
  readonly code: string;
  readonly message: string;
  readonly remedy?: string;
  readonly addresses: readonly string[];
}

/** Refusals or warnings; warnings that say the same of several resources together. */
export function groupNotices(notices: readonly (Refusal | Warning)[]): readonly Notice[] {
  const withEach = (message: string, address: string, each: string): string =>
    address === "" ? message : message.replaceAll(address, each);
  const groups = groupSame(
    notices,
    ({ address = "", code, message }) => JSON.stringify([code, withEach(message, address, "\0")]),
    mostAlike,
  );
  return groups.flatMap((same): readonly Notice[] => {
    const each = same.map((notice) => ({ ...notice, addresses: notice.address === undefined ? [] : [notice.address] }));
    if (same.length < leastAlike || "remedy" in same[0]) return each;
    const { address = "", code, message } = same[0];
    const addresses = each.flatMap((notice) => notice.addresses);
    return [{ code, message: withEach(message, address, "each"), addresses }];
  });
}

/** Entries with the same key together, at most so many, in the order of the first of each. */
export function groupSame<T>(
  entries: readonly T[],
  keyOf: (entry: T) => unknown,
  most = Number.POSITIVE_INFINITY,
): readonly (readonly [T, ...T[]])[] {
  const all: [T, ...T[]][] = [];
  const open = new Map<unknown, [T, ...T[]]>();
  for (const entry of entries) {
    const key = keyOf(entry);
    const group = open.get(key);
    if (group !== undefined && group.length < most) group.push(entry);
    else {
      const fresh: [T, ...T[]] = [entry];
      open.set(key, fresh);
      all.push(fresh);
    }
  }
  return all;
}
