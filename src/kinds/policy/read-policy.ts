import type { Value } from "../value.js";

/** Deeper documents are taken as text: everything that walks a policy may recurse. No manifest can be deeper either. */
const deepest = 100;

/** The JSON document in a text; undefined when it is not JSON or nested too deep. */
export function readPolicy(text: string): Value | undefined {
  try {
    const document = JSON.parse(text) as Value;
    return isDeeper(document, deepest) ? undefined : document;
  } catch {
    return undefined;
  }
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((part) => isDeeper(part, levels - 1));
}
