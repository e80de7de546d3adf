import type { FindingType } from "../plan/drift-findings.js";
import type { Palette } from "./palette.js";

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
