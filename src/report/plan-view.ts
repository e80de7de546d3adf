import { count, listFew } from "../core/text.js";
import { visibleLine } from "../core/visible.js";
import { isAtLeast, worstOf } from "../kinds/impact.js";
import { claimText } from "../kinds/kind.js";
import { operationWords } from "../plan/operation-words.js";
import { type Action, type Change, type Operation, type Plan, relaxationFlags } from "../plan/plan-format.js";
import {
  type ReportItem,
  type ReportView,
  type Step,
  commitLine,
  impactNotes,
  present,
  shownId,
  titleOf,
  worstReason,
} from "./report-view.js";

const styles = {
  delete: { mark: "-", title: "Delete", paint: "remove" },
  replace: { mark: "-/+", title: "Replace", paint: "replace" },
  orphan: { mark: "o", title: "Orphan: kept, no longer managed", paint: "dim" },
  update: { mark: "~", title: "Update", paint: "change" },
  adopt: { mark: ">", title: "Adopt", paint: "adopt" },
  create: { mark: "+", title: "Create", paint: "add" },
} as const satisfies { readonly [A in Action]: Pick<ReportItem, "mark" | "paint"> & { readonly title: string } };

export function planView(plan: Plan): ReportView {
  const { baseUrl, changes, hash, refusals, stack, summary, toolVersion, warnings } = plan;
  // What goes away stays where it is seen first.
  const isOverwritten = ({ action, origin }: Change): boolean =>
    origin === "drift" && (action === "create" || action === "update" || action === "adopt");
  const totals = (["create", "update", "replace", "delete", "adopt", "orphan", "unchanged"] as const).flatMap((group) =>
    summary[group] === 0 ? [] : `${summary[group]} ${group === "unchanged" ? group : `to ${group}`}`,
  );
  return {
    name: "plan",
    title: `Plan for ${stack}`,
    stack,
    baseUrl,
    toolVersion,
    from: commitLine(plan),
    headline: planHeadline(plan),
    legend: "",
    sections: [
      ...Object.entries(styles).map(([action, { title }]) => ({
        title,
        open: action === "delete" || action === "replace",
        items: changes.filter((change) => change.action === action && !isOverwritten(change)).map(planItem),
      })),
      {
        title: "Drift that would be overwritten: somebody changed this live",
        open: true,
        items: changes.filter(isOverwritten).map(planItem),
      },
    ].flatMap((section) =>
      section.items.length === 0 ? [] : { ...section, title: titleOf(section.title, section.items) },
    ),
    totals,
    counts: changes.length + refusals.length === 0 ? "" : `Plan: ${totals.join(", ") || "nothing to do"}.`,
    refusals,
    warnings,
    steps: stepsOf(plan),
    closing: closingOf(plan),
    hash,
  };
}

function planItem(change: Change): ReportItem {
  const { action, address, fields, id, impact, notes, origin, source } = change;
  const reason = change.reason ?? worstReason(fields, impact);
  // Fields of a whole resource have much the same reason.
  const telling =
    action === "create" || action === "delete" ? fields.filter((field) => isAtLeast(field.impact, "security")) : fields;
  return {
    address,
    id: shownId(address, id),
    impact,
    source,
    group: action,
    mark: styles[action].mark,
    paint: styles[action].paint,
    flag: origin === "drift" ? "changed live" : origin === "both" ? "conflict: changed here and live" : "",
    sentence: "",
    reason,
    notes: [...impactNotes([{ impact, reason: reason || null }, ...telling]), ...notes],
    fields,
    direction: "apply",
  };
}

function planHeadline(plan: Plan): ReportView["headline"] {
  const { changes, refusals, summary } = plan;
  const codes = [...new Set(refusals.map(({ code }) => code))].join(", ");
  const refusal =
    refusals.length === 0 ? "" : `${count(refusals.length, "refusal")} (${codes}): this plan cannot be applied`;
  const worst = worstOf(changes);
  if (worst !== null) {
    const { impact } = worst;
    const sentence = [...lossesIn(plan), ...worstChange(worst, plan)].join("; ");
    return { impact, label: isAtLeast(impact, "routing") ? impact : "changes", sentence, refusal };
  }
  const { exclude = [], labels, only } = plan.selection;
  const which = only !== null || exclude.length + labels.length > 0 ? "manifests that the flags select" : "manifests";
  const live =
    plan.comparedWith === undefined ? ` Live matches the ${which} (${count(summary.unchanged, "resource")}).` : "";
  const sentence = refusal === "" ? `No changes.${live}` : "No changes were planned.";
  return { impact: "none", label: "", sentence, refusal };
}

function lossesIn({ changes, unserved = [] }: Plan): readonly string[] {
  const named = (texts: readonly string[]): string => listFew(texts.map(visibleLine), 3);
  const final = changes.filter(({ impact }) => impact === "irreversible");
  const deleted = changes.filter(({ action }) => action === "delete");
  return present([
    unserved.length === 0
      ? ""
      : `${count(unserved.length, "hostport")} no longer served: ${named(unserved.map(claimText))}`,
    ...final.slice(0, 1).map((change) => reasonLine(change, final)),
    deleted.every((change) => final.includes(change))
      ? ""
      : `${count(deleted.length, "deletion")}: ${named(deleted.map(({ address }) => address))}`,
  ]);
}

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

function reasonLine(change: Change, same: readonly Change[]): string {
  const more = same.length > 1 ? ` (and ${count(same.length - 1, `more ${change.impact} change`)})` : "";
  return `${visibleLine(change.address)}: ${visibleLine(reasonOf(change))}${more}`;
}

function reasonOf({ action, fields, impact, reason }: Change): string {
  return (reason ?? worstReason(fields, impact)) || `to ${action}`;
}

function closingOf({ operations, rehearsal, relaxations, selection: { exclude = [] } }: Plan): readonly string[] {
  const loosened = relaxationFlags({ ...relaxations, destroy: false });
  const outcome = rehearsal?.converges === true ? "a second plan is empty" : "it did not converge";
  return present([
    relaxations.destroy
      ? "Made by `edgewise destroy`: everything that the stack owns is deleted, or kept where lifecycle.deletion is orphan."
      : "",
    exclude.length === 0
      ? ""
      : visibleLine(`Left out by --exclude: ${exclude.join(", ")}, and what can't be done without.`),
    loosened.length === 0 ? "" : visibleLine(`Guards loosened by flags: ${loosened.join(" ")}`),
    rehearsal === null || rehearsal.steps + operations.length === 0
      ? ""
      : `Rehearsal: ${count(rehearsal.steps, "step")} run against a model of the service; ${outcome}.`,
  ]);
}

function stepsOf(plan: Plan): readonly Step[] {
  const words = operationWords(plan);
  const replaced = new Set(plan.changes.flatMap(({ action, address }) => (action === "replace" ? address : [])));
  return plan.operations.map((operation) => {
    const { address, after, id, method, path, waits, why } = operation;
    const title = words.get(id)?.title ?? address;
    const waitsLong = Object.values(waits).some((reason) => ["free", "late", "unuse"].includes(reason));
    const release = releaseOf(operation);
    const isUnusual = release !== "" || (why !== null && (replaced.has(address) || waitsLong));
    const request = `${method} ${path}`;
    return { id, title, request, after, why: present([why ?? "", release]).join("; "), isUnusual };
  });
}

/** What is released, and sent if those that it makes room for fail. */
function releaseOf({ handsOver, temporary }: Operation): string {
  const release = temporary ?? handsOver;
  if (release === undefined) return "";
  const takers = listFew(release.takers, 6);
  const isOne = release.takers.length === 1;
  const released = handsOver === undefined ? "" : `releases what ${takers} ${isOne ? "takes" : "take"}; `;
  const undone = release.restore === null ? "a delete is not undone" : "takes it back";
  return `${released}${undone} if ${isOne ? "" : "one of "}${takers} fails`;
}
