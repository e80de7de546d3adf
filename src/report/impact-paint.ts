import type { Impact } from "../plan/plan-format.js";
import type { Paint, Palette } from "./palette.js";

/** The colour of an impact: alarming ones are red and bold. */
export function paintOfImpact(impact: Impact, paint: Palette): Paint {
  if (impact === "security" || impact === "irreversible") return paint.alarm;
  return impact === "routing" ? paint.change : paint.dim;
}
