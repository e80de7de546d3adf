import { collectErrors } from "./schema-errors.js";

/** The first schema error of a plan in words; null = it has the type `Plan`. */
export function validatePlan(document: unknown): string | null {
  const [error] = collectErrors("plan.schema.json", document);
  return error?.message ?? null;
}
