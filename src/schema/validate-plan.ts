import { Plan as validator } from "../generated/plan-validator.js";
import { collectErrors } from "./schema-errors.js";

/** What is wrong with a plan that was read from a file, in words, or null: it then has the type `Plan`. */
export function validatePlan(document: unknown): string | null {
  const [error] = collectErrors(validator, document, {});
  return error?.message ?? null;
}
