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
import type { Palette } from "./styles.js";

/** A plan or drift, from which every output is written. Texts are "" for nothing; its own sentences fit one line. */
export type ReportView = Pick<Plan, "stack" | "baseUrl" | "toolVersion" | "refusals" | "warnings"> &
  Readonly<{
    name: "plan" | "drift";
    title: string;
    /** Where the manifests are from, when not from the disk. */
    from: string;
    headline: Readonly<{
      impact: Impact;
      label: string;
      sentence: string;
      refusal: string;
    }>;
    legend: string;
    sections: readonly Readonly<{
      /** `Missing (2): in a manifest, but not live` */
      title: string;
      /** Whether a comment shows all of it unfolded. */
      open: boolean;
      items: readonly ReportItem[];
    }>[];
    totals: readonly string[];
    counts: string;
    steps: readonly Step[];
    closing: readonly string[];
    hash: string;
  }>;

export type Direction = "apply" | "drift";

export type ReportItem = Readonly<{
  address: string;
  id: string;
  impact: Impact;
  source: Readonly<{ file: string; line: number }> | null;
  group: string;
  mark: string;
  paint: keyof Palette;
  flag: "" | "changed live" | "conflict: changed here and live";
  sentence: string;
  reason: string;
  /** The reasons of all impacts, then what else there is to say. */
  notes: readonly string[];
  fields: readonly FieldChange[];
  direction: Direction;
}>;

export type Step = Readonly<{
  id: string;
  /** `set traffic_policy of TLSEdge/api` */
  title: string;
  request: string;
  after: readonly string[];
  why: string;
  /** A release, a wait for something released, a step of a replacement. */
  isUnusual: boolean;
}>;

export function present(texts: readonly string[]): readonly string[] {
  return texts.filter((text) => text !== "");
}

/** "" when the address ends with it. */
export function shownId(address: string, id: string | null): string {
  return id === null || address.endsWith(`/${id}`) ? "" : id;
}

/** `edge/api.yaml:3`; "" without a manifest. */
export function placeOf({ source }: Pick<ReportItem, "source">): string {
  return source === null ? "" : `${source.file}:${source.line}`;
}

export function worstFirst<T extends { readonly impact: Impact }>(items: readonly T[]): readonly T[] {
  return items.toSorted((a, b) => impactRank(b.impact) - impactRank(a.impact));
}

export function worstReason(fields: readonly FieldChange[], impact: Impact): string {
  return fields.find((field) => field.impact === impact)?.reason ?? "";
}

export function titleOf(words: string, items: readonly ReportItem[]): string {
  return words.replace(/(?=:)|$/u, ` (${items.length})`);
}

/** `security: clients no longer need a certificate` */
export function impactNotes(reasons: readonly Pick<FieldChange, "impact" | "reason">[]): readonly string[] {
  return [...new Set(reasons.flatMap(({ impact, reason }) => (reason === null ? [] : `${impact}: ${reason}`)))];
}

/** `Manifests of commit 0123456789ab (HEAD~1)`; "" when they were read from the disk. Fits one line. */
export function commitLine(made: Partial<Pick<Plan, "commit" | "comparedWith" | "ref">>): string {
  const { comparedWith: base } = made;
  const shown = shownCommit(made);
  return present([
    base === undefined ? "" : `Compared with ${visibleLine(cut(base, 300))}, not with the live account`,
    shown === null ? "" : `Manifests of ${visibleLine(cut(commitWords(shown), 300))}`,
  ]).join(". ");
}

const leastAlike = 3;

export interface ItemGroup extends ReportItem {
  readonly addresses: readonly string[];
}

/** The same updates of one kind together; what goes away stands for itself. */
export function groupItems(items: readonly ReportItem[]): readonly ItemGroup[] {
  const keyOf = (item: ReportItem): unknown => {
    const { address, fields, flag, group, impact, notes, reason, sentence } = item;
    if ((group !== "update" && group !== "modified") || fields.length === 0) return item;
    return JSON.stringify([address.split("/", 1), group, impact, flag, sentence, reason, notes, fields]);
  };
  return groupSame(items, keyOf).map((same) => {
    const [first] = same;
    if (same.length === 1) return { ...first, addresses: [] };
    const address = `${same.length} ${first.address.split("/", 1).join("")}`;
    return { ...first, address, id: "", source: null, addresses: same.map((item) => item.address) };
  });
}

export type Notice = Pick<Warning, "message"> &
  Readonly<{
    code: string;
    remedy?: string;
    addresses: readonly string[];
  }>;

/** Warnings that say the same together. */
export function groupNotices(notices: readonly (Refusal | Warning)[]): readonly Notice[] {
  const ofEach = ({ address = "", message }: Refusal | Warning): string =>
    address === "" ? message : message.replaceAll(address, "each");
  const keyOf = (notice: Refusal | Warning): unknown =>
    "remedy" in notice ? notice : `${notice.code} ${ofEach(notice)}`;
  return groupSame<Refusal | Warning>(notices, keyOf).map((same) => {
    const [first] = same;
    const message = same.length === 1 ? first.message : ofEach(first);
    return { ...first, message, addresses: same.flatMap(({ address }) => address ?? []) };
  });
}

export function groupSame<T>(
  entries: readonly T[],
  keyOf: (entry: T) => unknown,
  least = leastAlike,
): readonly (readonly [T, ...T[]])[] {
  const groups = new Map<unknown, [T, ...T[]]>();
  for (const entry of entries) {
    const key = keyOf(entry);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [entry]);
    else group.push(entry);
  }
  return [...groups.values()].flatMap((group) => (group.length < least ? group.map((entry): [T] => [entry]) : [group]));
}
