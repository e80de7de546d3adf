import { EdgewiseError } from "../errors.js";
import type { Change, Plan, Warning } from "../plan/plan-format.js";

/** Whether the live state now matches the manifests, and what still differs if not. */
export interface Verification {
  readonly verified: boolean;
  readonly warnings: readonly Warning[];
}

/**
 * Makes a second plan from fresh lists: it must be empty. Duplicates that a slow service created late show up here, as
 * `duplicate-marker`.
 * @param deps `replan` lists and plans again, from the same manifests with the same options
 */
export async function verify(deps: { readonly replan: () => Promise<Plan> }): Promise<Verification> {
  let plan: Plan;
  try {
    plan = await deps.replan();
  } catch (error) {
    if (!(error instanceof EdgewiseError)) throw error;
    const message = `verification failed: ${error.message}`;
    return { verified: false, warnings: [{ code: "verify-failed", message }] };
  }
  const changed = new Set<string>(plan.changes.map(({ address }) => address));
  const warnings: Warning[] = [
    ...plan.refusals.map(({ code, message, remedy, address }) => ({
      code,
      message: `${message} ${remedy}`,
      ...(address === undefined ? {} : { address }),
    })),
    ...plan.changes.map(notConverged),
    ...[...new Set(plan.operations.map(({ address }) => address))]
      .filter((address) => !changed.has(address))
      .map((address) => ({ code: "not-converged", message: `${address} still has to be written`, address })),
  ];
  return { verified: warnings.length === 0, warnings };
}

function notConverged({ address, action, fields }: Change): Warning {
  const paths = fields.map(({ path }) => path).join(", ");
  const message = `${address} is still to be changed (${action}${paths === "" ? "" : `: ${paths}`})`;
  return { code: "not-converged", message, address };
}
