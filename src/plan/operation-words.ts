import { isObject } from "../core/json.js";
import { readMarker } from "../kinds/marker.js";
import { kindOf } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import { visibleLine } from "../core/visible.js";
import type { Operation, Plan } from "./plan-format.js";

/** What an operation does, where `kind` says only how: an adoption is a PATCH that writes the marker. */
export type OperationAction = "create" | "update" | "adopt" | "orphan" | "set-module" | "remove-module" | "delete";

/** What an operation does, for people and for programs. */
export interface OperationWords {
  readonly action: OperationAction;
  /** The module that it sets or removes. */
  readonly module?: string;
  /** `update`, `set traffic_policy` */
  readonly does: string;
  /** `update TLSEdge/api`, `set traffic_policy of TLSEdge/api`. On one line. */
  readonly title: string;
  /** What it does now, and has done; the address follows. */
  readonly doing: string;
  readonly done: string;
}

/** What the operations of a plan do, by operation id. */
export function operationWords({ changes, operations }: Plan): ReadonlyMap<string, OperationWords> {
  const adopted = new Set<string>(changes.flatMap(({ action, address }) => (action === "adopt" ? [address] : [])));
  return new Map(operations.map((operation) => [operation.id, wordsOf(operation, adopted.has(operation.address))]));
}

function wordsOf(operation: Operation, isAdopted: boolean): OperationWords {
  const action = actionOf(operation, isAdopted);
  const address = visibleLine(operation.address);
  if (action !== "set-module" && action !== "remove-module")
    return { action, does: action, title: `${action} ${address}`, ...tenses[action] };
  const { path } = operation;
  const module = visibleLine(path.slice(path.lastIndexOf("/") + 1));
  const [verb, ...tense] = action === "set-module" ? ["set", "setting", "set"] : ["remove", "removing", "removed"];
  const [doing = "", done = ""] = tense.map((word) => `${word} ${module} of`);
  const does = `${verb} ${module}`;
  return { action, module, does, title: `${does} of ${address}`, doing, done };
}

const tenses = {
  create: { doing: "creating", done: "created" },
  update: { doing: "updating", done: "updated" },
  adopt: { doing: "adopting", done: "adopted" },
  orphan: { doing: "orphaning", done: "orphaned" },
  delete: { doing: "deleting", done: "deleted" },
} as const;

function actionOf(operation: Operation, isAdopted: boolean): OperationAction {
  const { kind } = operation;
  if (kind === "module-put") return "set-module";
  if (kind === "module-delete") return "remove-module";
  if (kind !== "patch") return kind;
  const marker = writtenMarker(operation);
  if (marker === "removed") return "orphan";
  return marker === "set" && isAdopted ? "adopt" : "update";
}

/** What a PATCH does to the marker; null when it leaves it as it is. */
function writtenMarker({ address, body }: Operation): "set" | "removed" | null {
  const marked = kinds[kindOf(address)].fieldList.find(({ field }) => field.marker === true);
  const written = marked === undefined || !isObject(body) ? undefined : body[marked.field.writeAs ?? marked.name];
  if (written === undefined) return null;
  return readMarker(written).marker === null ? "removed" : "set";
}
