import type { OperationStatus } from "../apply/result.js";
import type { Impact } from "../kinds/impact.js";
import type { Finding, FindingType } from "../plan/drift-findings.js";
import type { Action } from "../plan/plan-format.js";
import type { Paint, Palette } from "../text/palette.js";

/** The actions in the order in which they are shown: those that can do harm come first. */
export const actionOrder = [
  "delete",
  "replace",
  "orphan",
  "update",
  "adopt",
  "create",
] as const satisfies readonly Action[];

export interface ActionStyle {
  readonly mark: string;
  readonly heading: string;
  readonly paint: keyof Palette;
}

export const actionStyles = {
  delete: { mark: "-", heading: "Delete", paint: "remove" },
  replace: { mark: "-/+", heading: "Replace", paint: "replace" },
  orphan: { mark: "o", heading: "Orphan: kept, no longer managed", paint: "dim" },
  update: { mark: "~", heading: "Update", paint: "change" },
  adopt: { mark: ">", heading: "Adopt", paint: "adopt" },
  create: { mark: "+", heading: "Create", paint: "add" },
} as const satisfies { readonly [A in Action]: ActionStyle };

/** The types of findings, in the order in which they are shown. */
export const findingStyles = {
  missing: {
    mark: "-",
    heading: "Missing",
    meaning: "in a manifest, but not live",
    paint: "remove",
  },
  modified: {
    mark: "~",
    heading: "Modified",
    meaning: "live differs from the manifest",
    paint: "change",
  },
  unexpected: {
    mark: "+",
    heading: "Unexpected",
    meaning: "owned by this stack, but in no manifest",
    paint: "add",
  },
  unmanaged: {
    mark: "?",
    heading: "Unmanaged",
    meaning: "live, but owned by no stack",
    paint: "dim",
  },
  expiring: {
    mark: "!",
    heading: "Expiring",
    meaning: "a certificate expires soon",
    paint: "change",
  },
  dangling: {
    mark: "!",
    heading: "Dangling",
    meaning: "refers to something that is gone",
    paint: "remove",
  },
  pending: {
    mark: "*",
    heading: "Pending",
    meaning: "merged and not yet applied: not drift",
    paint: "dim",
  },
} as const satisfies {
  readonly [T in FindingType]: {
    readonly mark: string;
    readonly heading: string;
    readonly meaning: string;
    readonly paint: keyof Palette;
  };
};

/**
 * How serious a finding is for annotations and SARIF. Impact irreversible or security is an error, as somebody did it
 * behind Git's back; pending findings, unmanaged resources and changes without an effect on traffic are notices.
 */
export function levelOfFinding({ impact, type }: Finding): "error" | "warning" | "notice" {
  if (type === "pending") return "notice";
  if (impact === "irreversible" || impact === "security") return "error";
  if (type === "unmanaged") return "notice";
  return type === "modified" && impact !== "routing" ? "notice" : "warning";
}

/** How the status of an operation is marked and coloured. */
export const statusStyles = {
  done: { mark: "✓", paint: "add" },
  failed: { mark: "✗", paint: "alarm" },
  skipped: { mark: "–", paint: "dim" },
  unknown: { mark: "?", paint: "change" },
} as const satisfies { readonly [S in OperationStatus]: { readonly mark: string; readonly paint: keyof Palette } };

/** The colour of a field that appears, disappears or changes. */
export const signPaints = { "+": "add", "-": "remove", "~": "change" } as const satisfies {
  readonly [sign: string]: keyof Palette;
};

/** An impact as a coloured dot and its word, for pages that show no other colour. */
export const impactBadges = {
  none: "⚪ none",
  cosmetic: "⚪ cosmetic",
  routing: "🟡 routing",
  security: "🟠 security",
  irreversible: "🔴 irreversible",
} as const satisfies { readonly [I in Impact]: string };

/** The colour of an impact: security and irreversible are alarming. */
export function paintOfImpact(impact: Impact, paint: Palette): Paint {
  if (impact === "security" || impact === "irreversible") return paint.alarm;
  return impact === "routing" ? paint.change : paint.dim;
}
