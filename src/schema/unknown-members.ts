import { type SchemaCode, schemaCodes } from "../diagnostics/codes.js";
import { suggest } from "../diagnostics/suggest.js";
import { type DocumentPath, isSensitive, showPath, valueAt } from "../core/document-path.js";
import { hintFor, isReadOnly } from "./hints.js";
import { type MemberIndex, membersAt } from "./members.js";
import { misplacement } from "./misplaced-members.js";
import type { SchemaError } from "./validator.js";

type UnknownMember = Omit<SchemaError, "keyword" | "params">;

/** A member that the schema does not have: misplaced, misspelt, another tool's, set by the service, or just unknown. */
export function describeUnknown(path: DocumentPath, document: unknown, members: MemberIndex): UnknownMember {
  const parent = path.slice(0, -1);
  const name = String(path.at(-1));
  const where = showPath(path);
  const unknown = (found: Partial<UnknownMember> & Pick<UnknownMember, "message" | "remedy">): UnknownMember => ({
    path,
    at: "key",
    code: "unknown-member",
    // `api.key` is what people call the API key.
    sensitive: isSensitive(path) || (name === "key" && parent.at(-1) === "api"),
    ...found,
  });

  // `{TEXT}` is a map with the key TEXT: what stands there may be the secret.
  if (isSensitive(parent) && membersAt(members, parent).includes("env"))
    return unknown({
      message: `${showPath(parent)} has a member that is not known`,
      remedy: "Write {env: NAME} or {file: path}.",
      explains: [parent],
    });
  const odd = /[^\S ]/u.exec(name)?.[0];
  if (odd !== undefined) return unknown(oddBlank(odd, { name, parent, members, document }));
  const outward = misplacement(path, document, members, "outward");
  if (outward !== null) return unknown(outward);
  const hint = hintFor(path, valueAt(document, path), membersAt(members, parent));
  const near = hint === null ? suggest(name, membersAt(members, parent)) : null;
  if (near !== null) {
    // The suggestion is part of the message too: readers of the JSON format may show nothing else.
    const message = `${where} is not known: did you mean ${near}?`;
    return unknown({ message, remedy: `Rename it to ${near}.`, explains: [[...parent, near]] });
  }
  const code: SchemaCode = isReadOnly(path) ? "read-only-member" : "unknown-member";
  if (hint !== null) {
    const message = code === "read-only-member" ? readOnly(where) : `${where} is not known`;
    const explains = hint.instead === undefined ? {} : { explains: [[...parent, hint.instead]] };
    return unknown({ code, message, remedy: hint.remedy, ...explains });
  }
  if (code === "read-only-member") return unknown({ code, message: readOnly(where), remedy: schemaCodes[code].remedy });
  const elsewhere = misplacement(path, document, members, "anywhere");
  if (elsewhere !== null) return unknown(elsewhere);
  const known = membersAt(members, parent);
  const place = parent.length === 0 ? "A document" : showPath(parent);
  const remedy = known.length === 0 ? "Remove it." : `Remove it. ${place} accepts ${known.join(", ")}.`;
  return unknown({ message: `${where} is not known`, remedy });
}

function readOnly(where: string): string {
  return `${where} is set by the service and can't be configured`;
}

/** A space that YAML takes for a part of the name, such as one that was copied from a web page. */
function oddBlank(
  odd: string,
  at: {
    readonly name: string;
    readonly parent: DocumentPath;
    readonly members: MemberIndex;
    readonly document: unknown;
  },
): Pick<UnknownMember, "message" | "remedy" | "explains"> {
  const name = at.name.trim();
  const code = `U+${(odd.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
  const message = `the key ${JSON.stringify(name)} has a space beside it that is part of the name (${code})`;
  const above = membersAt(at.members, at.parent).filter(
    (member) =>
      valueAt(at.document, [...at.parent, member]) === null &&
      membersAt(at.members, [...at.parent, member]).includes(name),
  );
  const explains = above.map((member) => [...at.parent, member]);
  return { message, remedy: "Replace it with ordinary spaces.", explains };
}
