import { fingerprintOfLarge } from "./canonical.js";
import type { Plan } from "./plan.js";

/** The checksum of a plan: over everything but the hash itself and the tool's version. No signature. */
export function hashPlan(plan: Omit<Plan, "hash" | "toolVersion">): string {
  const { hash: _hash, toolVersion: _version, ...rest } = plan as Plan;
  return fingerprintOfLarge(rest);
}
