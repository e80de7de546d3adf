import type { Impact } from "../kinds/impact.js";
import type { FindingType } from "../plan/drift-findings.js";
import type { Action } from "../plan/plan-format.js";
import type { Paint, Palette } from "../text/palette.js";

/** How each action is marked, headed and coloured, in the order in which they are shown: what can hurt comes first. */
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
  /** After "to", in sentences. */
  readonly verb: string;
  readonly paint: keyof Palette;
}

export const actionStyles = {
  delete: { mark: "-", heading: "Delete", verb: "delete", paint: "remove" },
  replace: { mark: "-/+", heading: "Replace", verb: "replace", paint: "replace" },
  orphan: { mark: "o", heading: "Orphan: left alive, no longer managed", verb: "orphan", paint: "dim" },
  update: { mark: "~", heading: "Update", verb: "update", paint: "change" },
  adopt: { mark: ">", heading: "Adopt", verb: "adopt", paint: "adopt" },
  create: { mark: "+", heading: "Create", verb: "create", paint: "add" },
} as const satisfies { readonly [A in Action]: ActionStyle };

/** How each type of finding is marked, headed and explained, in the order in which they are shown. */
export const findingStyles = {
  missing: {
    mark: "-",
    heading: "Missing",
    meaning: "a manifest describes it, and it is not live",
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
    meaning: "this stack owns it, and no manifest describes it",
    paint: "add",
  },
  unmanaged: {
    mark: "?",
    heading: "Unmanaged",
    meaning: "it is live, and no stack owns it",
    paint: "dim",
  },
  expiring: {
    mark: "!",
    heading: "Expiring",
    meaning: "a certificate ends soon",
    paint: "change",
  },
} as const satisfies {
  readonly [T in FindingType]: {
    readonly mark: string;
    readonly heading: string;
    readonly meaning: string;
    readonly paint: keyof Palette;
  };
};

const badges = {
  none: "⚪ none",
  cosmetic: "⚪ cosmetic",
  routing: "🟡 routing",
  security: "🟠 security",
  irreversible: "🔴 irreversible",
} as const satisfies { readonly [I in Impact]: string };

/** An impact as a coloured dot and its word, for pages that show no other colour. */
export function impactBadge(impact: Impact): string {
  return badges[impact];
}

/** The colour of an impact: alarming ones are red and bold. */
export function paintOfImpact(impact: Impact, paint: Palette): Paint {
  if (impact === "security" || impact === "irreversible") return paint.alarm;
  return impact === "routing" ? paint.change : paint.dim;
}
