import type { Impact } from "../plan/plan-format.js";

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
