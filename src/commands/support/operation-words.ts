import { isObject } from "../../json.js";
import { readMarker } from "../../kinds/marker.js";
import { kindOf } from "../../kinds/names.js";
import { kinds } from "../../kinds/registry.js";
import type { Operation, OperationKind, Plan } from "../../plan/plan-format.js";
import { visibleLine } from "../../text/visible.js";

/** What an operation does, while it runs and when it is done; the address follows. */
export interface OperationWords {
  readonly doing: string;
  readonly done: string;
}

/** What the operations of a plan do, by operation id: an adoption is a PATCH, but not called an update. */
export function operationWords({ changes, operations }: Plan): ReadonlyMap<string, OperationWords> {
  const adopted = new Set<string>(changes.flatMap(({ action, address }) => (action === "adopt" ? [address] : [])));
  return new Map(operations.map((operation) => [operation.id, wordsOf(operation, adopted.has(operation.address))]));
}

function wordsOf(operation: Operation, isAdopted: boolean): OperationWords {
  const { kind, path } = operation;
  const module = visibleLine(path.slice(path.lastIndexOf("/") + 1));
  if (kind === "module-put") return { doing: `setting ${module} of`, done: `set ${module} of` };
  if (kind === "module-delete") return { doing: `removing ${module} of`, done: `removed ${module} of` };
  const marks = kind === "patch" ? writtenMarker(operation) : null;
  if (marks === "removed") return { doing: "orphaning", done: "orphaned" };
  if (marks === "set" && isAdopted) return { doing: "adopting", done: "adopted" };
  return plainWords[kind];
}

const plainWords: { readonly [K in Exclude<OperationKind, "module-put" | "module-delete">]: OperationWords } = {
  create: { doing: "creating", done: "created" },
  patch: { doing: "updating", done: "updated" },
  delete: { doing: "deleting", done: "deleted" },
};

/** What a PATCH does to the marker; null when it leaves it as it is. */
function writtenMarker({ address, body }: Operation): "set" | "removed" | null {
  const marked = kinds[kindOf(address)].fieldList.find(({ field }) => field.marker === true);
  const written = marked === undefined || !isObject(body) ? undefined : body[marked.field.writeAs ?? marked.name];
  if (written === undefined) return null;
  return readMarker(written).marker === null ? "removed" : "set";
}
