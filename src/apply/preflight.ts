import { EdgewiseError } from "../core/errors.js";
import { OperationGraph } from "../plan/order.js";
import type { Operation, Plan } from "../plan/plan-format.js";
import type { Secret } from "../core/secret.js";
import type { ApplyDeps, RunContext, WaitGraph } from "./run-context.js";

/** @throws EdgewiseError `plan-file` or `secret-unavailable` before the first write */
export function preflight(
  { operations, refusals }: Plan,
  { resolveSecret }: Pick<ApplyDeps, "resolveSecret">,
): Pick<RunContext, "graph" | "secrets"> {
  const graph = waitGraph(operations);
  return { graph, secrets: resolveSecrets(refusals.length > 0 ? [] : operations, resolveSecret) };
}

function waitGraph(operations: readonly Operation[]): WaitGraph {
  const indexOf = new Map(operations.map(({ id }, index) => [id, index]));
  const waits = new OperationGraph(operations.length);
  let isSound = indexOf.size === operations.length;
  for (const [index, { after, waits: reasons }] of operations.entries()) {
    for (const id of after) {
      const before = indexOf.get(id);
      if (before === undefined) isSound = false;
      else waits.add(before, index, reasons[id] ?? "same");
    }
  }
  if (!isSound || waits.sort().length !== operations.length) {
    const message =
      "The plan was edited: operations wait for each other or for one that is not there, or two have the same id.";
    throw new EdgewiseError("plan-file", message, { remedy: "Make the plan again." });
  }
  return { operations, indexOf, waits };
}

function resolveSecrets(
  operations: readonly Operation[],
  resolve: (reference: string) => Secret,
): ReadonlyMap<string, Secret> {
  const secrets = new Map<string, Secret>();
  const missing: string[] = [];
  for (const operation of operations) {
    for (const binding of Object.values(operation.bind)) {
      if (!("secret" in binding) || secrets.has(binding.secret)) continue;
      const secret = resolve(binding.secret);
      secrets.set(binding.secret, secret);
      const reason = secret.missing;
      if (reason !== null) missing.push(`${binding.secret} (${secret.source}): ${reason}`);
    }
  }
  if (missing.length === 0) return secrets;
  const these = missing.length === 1 ? "a secret that must be sent is" : "secrets that must be sent are";
  throw new EdgewiseError("secret-unavailable", `Nothing was written: ${these} not available: ${missing.join("; ")}`, {
    remedy: "Set the environment variable or write the file that the manifest names, and apply again.",
  });
}
