import { Plan as validator } from "../generated/plan-validator.js";
import { collectErrors } from "./schema-errors.js";

/** The first schema error of a plan that was read from a file, in words; null = valid, then it has the type `Plan`. */
export function validatePlan(document: unknown): string | null {
  const [error] = collectErrors(validator, document, {});
  return error?.message ?? null;
}
