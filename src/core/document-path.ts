import type { Json, Value } from "./json.js";
import { holdsSecretName } from "./secret-names.js";

/** Indexes of lists become numbers. */
export function pathOf(pointer: string, document: unknown): DocumentPath {
  const path: (string | number)[] = [];
  let value = document;
  for (const step of pointer.split("/").slice(1)) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    path.push(Array.isArray(value) ? Number(name) : name);
    value = memberOf(value, name);
  }
  return path;
}

export function valueAt(document: unknown, path: DocumentPath): unknown {
  let value = document;
  for (const step of path) value = memberOf(value, String(step));
  return value;
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return Object.getOwnPropertyDescriptor(value, name)?.value;
}

/** A copy with another value at a path; undefined = without that member. */
export function withValueAt(document: Json, path: DocumentPath, value: Json): Json;
export function withValueAt(document: unknown, path: DocumentPath, value: unknown): unknown;
export function withValueAt(document: unknown, [step, ...rest]: DocumentPath, value: unknown): unknown {
  if (step === undefined) return value;
  if (Array.isArray(document))
    return document.map((item: unknown, index) => (index === step ? withValueAt(item, rest, value) : item));
  if (typeof document !== "object" || document === null) return document;
  const members = Object.entries(document).map(
    ([name, item]: [string, unknown]) => [name, name === step ? withValueAt(item, rest, value) : item] as const,
  );
  return Object.fromEntries(members.filter(([, item]) => item !== undefined));
}

/** A copy with the value at a JSON pointer (RFC 6901) replaced. */
export function setAt(body: Value, pointer: string, replacement: Value): Value {
  const path = pathOf(pointer, body);
  if (valueAt(body, path) === undefined) throw new RangeError(`${pointer} leads nowhere in the body`);
  return withValueAt(body, path, replacement) as Value;
}

/** `spec.hostports[1].address` */
export function showPath(path: DocumentPath): string {
  let text = "";
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else if (/^[\w-]+$/.test(step)) text += text === "" ? step : `.${step}`;
    else text += `[${JSON.stringify(step.length > 60 ? `${step.slice(0, 60)}…` : step)}]`;
  }
  return text;
}

export type DocumentPath = readonly (string | number)[];

/** By the names in it. */
export function isSensitive(path: DocumentPath): boolean {
  return path.some((step) => typeof step === "string" && holdsSecretName(step));
}
