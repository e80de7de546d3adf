import { isObject } from "../core/json.js";
import { readMarker } from "../kinds/marker.js";
import { kindOf } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import { visibleLine } from "../core/visible.js";
import { moduleAt, type Operation, type Plan } from "./plan-format.js";

export type OperationAction = Readonly<{
  action: "create" | "update" | "adopt" | "orphan" | "set-module" | "remove-module" | "delete";
  module?: string;
}>;

export function operationActions({ changes, operations }: Plan): ReadonlyMap<string, OperationAction> {
  const adopted = new Set<string>(changes.flatMap(({ action, address }) => (action === "adopt" ? [address] : [])));
  return new Map(operations.map((operation) => [operation.id, actionOf(operation, adopted.has(operation.address))]));
}

export function operationWords(plan: Plan) {
  const actions = operationActions(plan);
  return new Map(
    plan.operations.map(({ address, id, kind }) => {
      const { action = kind, module } = actions.get(id) ?? {};
      const [verb = action] = action.split("-");
      const stem = verb.replace(/e$/u, "");
      const [doing, done] = verb === "set" ? ["setting", "set"] : [`${stem}ing`, `${stem}ed`];
      const part = module === undefined ? "" : ` ${visibleLine(module)}`;
      const of = module === undefined ? "" : `${part} of`;
      const title = `${verb}${of} ${visibleLine(address)}`;
      return [id, { does: verb + part, title, doing: doing + of, done: done + of }] as const;
    }),
  );
}

function actionOf({ address, body, kind, path }: Operation, isAdopted: boolean): OperationAction {
  const module = moduleAt(path);
  if (kind === "module-put") return { action: "set-module", module };
  if (kind === "module-delete") return { action: "remove-module", module };
  if (kind !== "patch") return { action: kind };
  const marked = kinds[kindOf(address)].fieldList.find(({ field }) => field.marker === true);
  const written = marked !== undefined && isObject(body) ? body[marked.field.writeAs ?? marked.name] : undefined;
  if (written === undefined) return { action: "update" };
  return { action: readMarker(written).marker === null ? "orphan" : isAdopted ? "adopt" : "update" };
}
