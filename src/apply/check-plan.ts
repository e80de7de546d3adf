import { kinds } from "../kinds/registry.js";
import { kindOf } from "../kinds/names.js";
import type { Plan } from "../plan/plan.js";
import { unusable } from "./graph.js";
import { setAt } from "../pointer.js";

/**
 * Looks for what would make a plan fail half-way although it could have been known before.
 * @throws EdgewiseError `plan-file`
 */
export function checkPlan(plan: Plan): void {
  const made = new Set<string>();
  for (const operation of plan.operations) {
    if (operation.kind !== "create") continue;
    if (made.has(operation.address)) throw unusable(`it makes ${operation.address} twice`);
    if (kinds[kindOf(operation.address)].collection === null)
      throw unusable(`${operation.address} is of a kind that can't be made`);
    made.add(operation.address);
  }
  for (const operation of plan.operations) {
    const known = (address: string): void => {
      if (!made.has(address)) throw unusable(`${operation.id} needs ${address}, which it does not make`);
    };
    for (const [pointer, binding] of Object.entries(operation.bind)) {
      if ("address" in binding) known(binding.address);
      try {
        setAt(operation.body, pointer, null);
      } catch {
        throw unusable(`${operation.id} puts something at ${pointer}, which its body does not have`);
      }
    }
    if (operation.pathBind !== undefined) known(operation.pathBind.address);
    if (operation.path.includes("{id}") !== (operation.pathBind !== undefined))
      throw unusable(`the path of ${operation.id} and what is to be put into it don't match`);
  }
}
