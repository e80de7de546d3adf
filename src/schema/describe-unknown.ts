import { type SchemaCode, schemaCodes } from "../diagnostics/codes.js";
import { showPath } from "../diagnostics/document-path.js";
import { suggest } from "../diagnostics/suggest.js";
import { hintFor, isReadOnly, isSensitive } from "./hints.js";
import { type MemberIndex, membersAt } from "./members.js";
import type { DocumentPath, SchemaError } from "./schema-error.js";

/** What to say of a member that the schema does not know: misspelt, misplaced, the service's own, or just unknown. */
export function describeUnknown(
  path: DocumentPath,
  members: MemberIndex,
): Pick<SchemaError, "path" | "at" | "code" | "message" | "remedy" | "sensitive"> {
  const name = String(path.at(-1));
  const parent = path.slice(0, -1);
  const known = membersAt(members, parent);
  const near = suggest(name, known);
  const code: SchemaCode = near === null && isReadOnly(path) ? "read-only-member" : "unknown-member";
  const where = showPath(path);
  // The suggestion stands in the message: a reader of the JSON format may know no other text.
  const guess = near === null ? "" : `: did you mean ${near}?`;
  const message =
    code === "read-only-member"
      ? `${where} is set by the service and can't be asked for`
      : `${where} is not known${guess}`;
  const found = { path, at: "key", code, message, sensitive: isSensitive(path) } as const;
  return { ...found, remedy: remedyFor(path, name, near, known, members) ?? schemaCodes[code].remedy };
}

function remedyFor(
  path: DocumentPath,
  name: string,
  near: string | null,
  known: readonly string[],
  members: MemberIndex,
): string | null {
  if (near !== null) return `Rename it to ${near}.`;
  const hint = hintFor(path);
  if (hint !== null) return hint;
  if (isReadOnly(path)) return null;
  const elsewhere = Object.keys(members).find((place) => !place.includes("*") && members[place]?.includes(name));
  if (elsewhere !== undefined)
    return elsewhere === "" ? "It belongs to the top of the document." : `It belongs to ${elsewhere}.`;
  if (known.length === 0) return null;
  return `Remove it. ${path.length === 1 ? "A document" : showPath(path.slice(0, -1))} takes ${known.join(", ")}.`;
}
