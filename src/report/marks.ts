import type { Action } from "../plan/plan-format.js";
import type { Palette } from "./palette.js";

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
