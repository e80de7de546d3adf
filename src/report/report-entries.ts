import { createHash } from "node:crypto";
import type { Finding } from "../plan/drift-findings.js";
import { listFew } from "../text/layout.js";

/** Whether a text names something as a word of its own: `TLSEdge/api` isn't named by `TLSEdge/api-2`. */
export function names(text: string, name: string): boolean {
  if (name === "") return false;
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const before = text.slice(Math.max(0, at - 1), at);
    const after = text.slice(at + name.length, at + name.length + 2);
    if (!/[\w/.-]/.test(before) && !/^(?:[\w[-]|[./]\w)/.test(after)) return true;
  }
  return false;
}

/** A message that names its resource: itself, or after the address. For reports that show nothing else of the resource. */
export function withSubject(message: string, address: string | null): string {
  return address === null || names(message, address) ? message.replace(/^the /, "The ") : `${address}: ${message}`;
}

/** A message and what to do about it as one text: `spec.hostport is not known. Did you mean hostports?` */
export function withRemedy(message: string, remedy: string | null): string {
  if (remedy === null || remedy === "") return message;
  return `${message}${/[.!?:…]$/.test(message) ? "" : "."} ${remedy}`;
}

/**
 * The fields of a finding that its message doesn't name: ` (spec.body, spec.headers)`. "" when it names all of them, and
 * when the whole resource is missing or unexpected.
 */
export function otherFields({ fields, message, type }: Pick<Finding, "fields" | "message" | "type">): string {
  if (type === "missing" || type === "unexpected") return "";
  const unnamed = fields.map(({ path }) => path).filter((path) => !names(message, path));
  return unnamed.length === 0 ? "" : ` (${listFew(unnamed, 10)})`;
}

/**
 * Returns the fingerprints of one report: the same for the same entry in later reports, and different for every entry, as
 * readers show entries with one fingerprint once. The second entry with an identity gets another fingerprint than the
 * first.
 */
export function fingerprints(): (identity: readonly (string | null)[]) => string {
  const seen = new Map<string, number>();
  return (identity) => {
    const exact = JSON.stringify(identity);
    const before = seen.get(exact) ?? 0;
    seen.set(exact, before + 1);
    const own = before === 0 ? exact : `${exact}#${before + 1}`;
    return createHash("sha256").update(own, "utf8").digest("hex");
  };
}
