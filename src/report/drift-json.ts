import type { Drift } from "../plan/drift-findings.js";
import { safeJson } from "./safe-json.js";

/** Drift as JSON (schemas/drift.schema.json), on several lines. */
export function renderDriftJson(drift: Drift): string {
  return safeJson(drift);
}
