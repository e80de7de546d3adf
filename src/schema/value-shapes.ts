import type { DocumentPath } from "../core/document-path.js";
import { type MemberIndex, membersAt } from "./members.js";

/** An id as services give it: a prefix, an underscore, and letters and digits. */
const idLike = /^[a-z]{2,9}_[A-Za-z0-9]+$/u;

/** Members that a text in the place of a map may stand for, the likeliest first. */
function likelihood(member: string, text: string): number {
  if (member === "id") return idLike.test(text) ? 0 : 3;
  if (member === "name" || member === "address") return 1;
  if (member === "file") return /[/.]/u.test(text) ? 0 : 4;
  return 2;
}

/**
 * The maps that a bare text may have been meant as: `maintenance` as {name: maintenance}, or {backend: {name: …}} one
 * level further out. Some break the schema.
 */
export function shapesOf(value: unknown, members: MemberIndex, path: DocumentPath): readonly unknown[] {
  if (typeof value !== "string" || value === "" || value.length > 200) return [];
  const own = [...membersAt(members, path)].sort((a, b) => likelihood(a, value) - likelihood(b, value));
  const flat = own.map((member) => ({ [member]: value }));
  const deeper = own.flatMap((member) => {
    const inner = [...membersAt(members, [...path, member])];
    inner.sort((a, b) => likelihood(a, value) - likelihood(b, value));
    return inner.map((each) => ({ [member]: { [each]: value } }));
  });
  return [...flat, ...deeper];
}

/**
 * What a text that lacks the required form was most likely meant to be: a name in lower case, a version without its
 * letters, a field with its `spec.`. The caller checks them against the form.
 * @param isName whether it has to be a name, which may be made of almost anything
 */
export function wellFormed(value: string, isName: boolean): readonly string[] {
  const bare = value.trim().replaceAll(/["'“”‘’„`]/gu, "");
  if (bare === "") return [];
  const afterSlash = bare.slice(bare.lastIndexOf("/") + 1);
  const candidates = isName
    ? [nameFrom(afterSlash)]
    : [
        bare,
        ...(/^\d/u.test(bare) ? [bare.replaceAll(/\s/gu, ""), `${bare}s`] : []),
        bare.replace(/^(?:tls|ssl)\s*v?/iu, ""),
        `spec.${bare}`,
      ];
  return candidates.filter((candidate) => candidate !== value && candidate !== "");
}

function nameFrom(text: string): string {
  const plain = text.toLowerCase().replaceAll(/[^a-z0-9._]+/gu, "-");
  const name = plain.replace(/^[^a-z0-9]+/u, "");
  let end = name.length;
  while (end > 0 && /[^a-z0-9]/u.test(name.charAt(end - 1))) end -= 1;
  return name.slice(0, end);
}
