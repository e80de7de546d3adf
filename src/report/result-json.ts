import type { Result } from "../apply/result.js";
import { safeJson } from "./safe-json.js";

/** A result as JSON (schemas/result.schema.json), on several lines. */
export function renderResultJson(result: Result): string {
  return safeJson(result);
}
