import { isAtLeast, worstOf } from "../kinds/impact.js";
import { claimText } from "../kinds/kind.js";
import { operationWords } from "../plan/operation-words.js";
import {
  type Change,
  type FieldChange,
  type Operation,
  type Plan,
  type Summary,
  relaxationFlags,
} from "../plan/plan-format.js";
import { count, listFew } from "../core/text.js";
import { visibleLine } from "../core/visible.js";
import { type Headline, type ReportItem, type ReportView, worstReason } from "./report-view.js";
import { actionOrder, actionStyles } from "./styles.js";

/** What a plan says: changes by action, those that can do harm first, and overwritten drift apart. */
export function planView(plan: Plan): ReportView {
  const { baseUrl, refusals, stack, summary, toolVersion, warnings } = plan;
  const { branch, overwritten } = splitDrift(plan.changes);
  return {
    name: "plan",
    title: `Plan for ${stack}`,
    stack,
    baseUrl,
    toolVersion,
    made: plan,
    headline: planHeadline(plan),
    legend: null,
    sections: [
      ...actionOrder.map((action) => ({
        id: `to-${action}`,
        title: actionStyles[action].heading,
        hint: null,
        items: branch.filter((change) => change.action === action).map(planItem),
      })),
      {
        id: "overwritten",
        title: "Drift that would be overwritten",
        hint: "somebody changed this live",
        items: overwritten.map(planItem),
      },
    ].filter(({ items }) => items.length > 0),
    totals: [
      ...actionOrder.map((action) => ({ count: summary[action], label: `to ${action}`, group: action })),
      { count: summary.unchanged, label: "unchanged", group: "unchanged" },
    ],
    refusals,
    warnings,
  };
}

/** A change as a report shows it, whole. */
export function planItem(change: Change): ReportItem {
  const { action, address, id, impact, notes, origin, reason, source } = change;
  const isWhole = action === "create" || action === "delete";
  // All fields of a whole resource have much the same reason: only those of security or worse are kept.
  const fields = change.fields.map((field) =>
    isWhole && !isAtLeast(field.impact, "security") ? { ...field, reason: null } : field,
  );
  return {
    address,
    id,
    impact,
    source,
    group: action,
    mark: actionStyles[action].mark,
    paint: actionStyles[action].paint,
    flag:
      origin === "drift"
        ? { text: "changed live", short: "changed live", paint: "change" }
        : origin === "both"
          ? { text: "conflict: changed here and live", short: "changed here and live", paint: "alarm" }
          : null,
    sentence: "",
    reason: reason ?? worstReason(change.fields, impact),
    isOwnReason: reason !== null && fields.every((field) => field.reason !== reason),
    notes,
    fields,
    direction: "apply",
  };
}

/**
 * Separates overwritten drift: fields of origin `drift` go to `overwritten`, all others to `branch`. A change that has
 * both is in both, with its own fields in each. Deletes, replacements and orphans stay in `branch`: readers must see
 * them first.
 */
function splitDrift(changes: readonly Change[]): {
  readonly branch: readonly Change[];
  readonly overwritten: readonly Change[];
} {
  const branch: Change[] = [];
  const overwritten: Change[] = [];
  for (const change of changes) {
    const { action, fields, origin } = change;
    const isMovable = action === "create" || action === "update" || action === "adopt";
    const drift = fields.filter((field) => field.origin === "drift");
    const own = fields.filter((field) => field.origin !== "drift");
    if (!isMovable || (drift.length === 0 && origin !== "drift")) branch.push(change);
    else if (own.length === 0 || origin === "drift") overwritten.push(change);
    else {
      const isConflict = own.some((field) => field.origin === "both");
      const elsewhere = new Set(drift.map(({ note }) => note));
      const notes = change.notes.filter((note) => !elsewhere.has(note));
      branch.push({ ...partOf(change, own), origin: isConflict ? "both" : "desired", notes });
      overwritten.push({ ...partOf(change, drift), origin: "drift", notes: drift.flatMap(({ note }) => note ?? []) });
    }
  }
  return { branch, overwritten };
}

/** A change with some of its fields, and with their impact and reason. */
function partOf(change: Change, fields: readonly FieldChange[]): Change {
  const worst = worstOf(fields);
  return { ...change, fields, impact: worst?.impact ?? "none", reason: worst?.reason ?? null };
}

/** The headline of a plan: what is lost, and the worst of its changes. */
export function planHeadline(plan: Plan): Headline {
  const { changes, refusals, summary } = plan;
  const worst = worstOf(changes);
  const impact = worst?.impact ?? "none";
  const codes = [...new Set(refusals.map(({ code }) => code))].join(", ");
  const nothing =
    refusals.length > 0
      ? "No changes were planned."
      : plan.comparedWith !== undefined
        ? "No changes."
        : `No changes. Live matches the manifests (${count(summary.unchanged, "resource")}).`;
  return {
    impact,
    label: worst === null ? "" : isAtLeast(impact, "routing") ? impact : "changes",
    sentence: worst === null ? nothing : [...lossesIn(plan), ...worstChange(worst, plan)].join("; "),
    why: null,
    refusal:
      refusals.length === 0 ? null : `${count(refusals.length, "refusal")} (${codes}): this plan cannot be applied`,
  };
}

/** What does not come back by itself, gravest first: hostports, addresses, resources. */
function lossesIn({ changes, unserved = [] }: Plan): readonly string[] {
  const named = (texts: readonly string[]): string => listFew(texts.map(visibleLine), 3);
  const final = changes.filter(({ impact }) => impact === "irreversible");
  const deleted = changes.filter(({ action }) => action === "delete");
  return [
    ...(unserved.length === 0
      ? []
      : [`${count(unserved.length, "hostport")} no longer served: ${named(unserved.map(claimText))}`]),
    ...final.slice(0, 1).map((change) => reasonLine(change, final)),
    ...(deleted.every((change) => final.includes(change))
      ? []
      : [`${count(deleted.length, "deletion")}: ${named(deleted.map(({ address }) => address))}`]),
  ];
}

/** The worst change of which what is lost does not tell yet. */
function worstChange({ impact }: Change, { changes, unserved = [] }: Plan): readonly string[] {
  if (impact === "none") return ["no effect on traffic"];
  if (impact === "cosmetic") return ["no change to traffic or access"];
  if (impact === "irreversible") return [];
  const isTold = (change: Change): boolean =>
    (change.impact === "routing" && change.action === "delete") ||
    unserved.some((claim) => reasonOf(change).includes(claimText(claim)));
  const untold = changes.filter((change) => change.impact === impact && !isTold(change));
  return untold.slice(0, 1).map((change) => reasonLine(change, untold));
}

/** A change with its reason, and how many are like it. */
function reasonLine(change: Change, same: readonly Change[]): string {
  const more = same.length > 1 ? ` (and ${count(same.length - 1, `more ${change.impact} change`)})` : "";
  return `${visibleLine(change.address)}: ${visibleLine(reasonOf(change))}${more}`;
}

function reasonOf({ action, fields, impact, reason }: Change): string {
  return reason ?? worstReason(fields, impact) ?? `to ${action}`;
}

/** `Plan: 1 to create, 2 to update, 3 unchanged.` What there is nothing of is left out. */
export function summaryLine(summary: Summary): string {
  const actions = (["create", "update", "replace", "delete", "adopt", "orphan"] as const).map(
    (action) => [summary[action], `to ${action}`] as const,
  );
  const counts = [...actions, [summary.unchanged, "unchanged"] as const].filter(([number]) => number > 0);
  return counts.length === 0 ? "Plan: nothing to do." : `Plan: ${counts.map((each) => each.join(" ")).join(", ")}.`;
}

/** The outcome of the rehearsal, in a sentence; null without one. */
export function rehearsalLine({ operations, rehearsal }: Plan): string | null {
  if (rehearsal === null || (rehearsal.steps === 0 && operations.length === 0)) return null;
  const outcome = rehearsal.converges ? "a second plan is empty" : "it did not converge";
  return `Rehearsal: ${count(rehearsal.steps, "step")} run against a model of the service; ${outcome}.`;
}

/** The flags that loosened the guards of a plan; null without any. */
export function relaxationsLine({ relaxations }: Plan): string | null {
  const flags = relaxationFlags({ ...relaxations, destroy: false });
  const sentences = [
    ...(relaxations.destroy
      ? [
          "Made by `edgewise destroy`: everything that the stack owns is deleted, or kept where lifecycle.deletion is orphan.",
        ]
      : []),
    ...(flags.length === 0 ? [] : [`Guards loosened by flags: ${flags.join(" ")}`]),
  ];
  return sentences.length === 0 ? null : sentences.join(" ");
}

/** Why an operation has its place in the order. Texts are safe for one line of plain text. */
interface OrderNote {
  readonly id: string;
  /** `update TLSEdge/api`. */
  readonly what: string;
  readonly why: string;
}

/**
 * The operations whose order a reader should know: temporary releases, waits for something released or no longer used,
 * and the steps of replacements; with `all`, every operation.
 */
export function orderNotes(plan: Plan, all: boolean): readonly OrderNote[] {
  const words = operationWords(plan);
  const replaced = new Set<string>(
    plan.changes.flatMap(({ action, address }) => (action === "replace" ? address : [])),
  );
  return plan.operations
    .filter((operation) => all || isUnusual(operation, replaced.has(operation.address)))
    .map((operation) => ({
      id: visibleLine(operation.id),
      what: words.get(operation.id)?.title ?? visibleLine(operation.address),
      why: reasonOfOrder(operation) ?? visibleLine(waitsFor(operation)),
    }));
}

function waitsFor({ after }: Operation): string {
  return after.length === 0 ? "no dependencies" : `after ${listFew(after, 6)}`;
}

function isUnusual({ handsOver, temporary, waits, why }: Operation, isReplaced: boolean): boolean {
  if (temporary !== undefined || handsOver !== undefined) return true;
  return (
    why !== null && (isReplaced || Object.values(waits).some((reason) => ["free", "late", "unuse"].includes(reason)))
  );
}

/** Why an operation has its place, and what is sent if those that it makes room for fail; null when neither. */
export function reasonOfOrder({ handsOver, temporary, why }: Operation): string | null {
  const release = temporary ?? handsOver;
  if (release === undefined) return why === null ? null : visibleLine(why);
  const takers = listFew(release.takers, 6);
  const isOne = release.takers.length === 1;
  const released = handsOver === undefined ? "" : `releases what ${takers} ${isOne ? "takes" : "take"}; `;
  const undone = release.restore === null ? "a delete is not undone" : "takes it back";
  const failure = `${released}${undone} if ${isOne ? "" : "one of "}${takers} fails`;
  return visibleLine(why === null ? failure : `${why}; ${failure}`);
}
