import { type DocumentPath, showPath, valueAt } from "../core/document-path.js";
import { type MemberIndex, membersAt } from "./members.js";
import type { SchemaError } from "./validator.js";

/**
 * Says where an unknown member belongs.
 * @param where `outward`: only the maps around its own
 * @returns null when the schema has no such member there
 */
export function misplacement(
  path: DocumentPath,
  document: unknown,
  members: MemberIndex,
  where: "outward" | "anywhere",
): Pick<SchemaError, "message" | "remedy" | "explains"> | null {
  const target =
    where === "outward"
      ? around(path, document, members)
      : (below(path, document, members) ?? elsewhere(path, members));
  if (target === null) return null;
  const name = String(path.at(-1));
  const place = target.length === 0 ? "the top of the document" : showPath(target);
  const message = `${showPath(path)} is not known: ${showPath([name])} belongs to ${place}`;
  const taken = valueAt(document, [...target, name]);
  if (taken !== undefined) return { message, remedy: `Remove it: ${showPath([...target, name])} is there already.` };
  const further = target.length === 0 ? "" : ", two columns further in than that";
  const remedy = `Move it to ${place}${further}.`;
  return { message, remedy, explains: [[...target, name], target] };
}

/** The nearest map around the member's own that takes it and does not have it. */
function around(path: DocumentPath, document: unknown, members: MemberIndex): DocumentPath | null {
  const name = String(path.at(-1));
  for (let length = path.length - 2; length >= 0; length--) {
    const target = path.slice(0, length);
    const free = valueAt(document, [...target, name]) === undefined;
    if (free && membersAt(members, target).includes(name)) return target;
  }
  return null;
}

/** A map beside the member that takes it: one that seems empty, as its members are not indented, wins. */
function below(path: DocumentPath, document: unknown, members: MemberIndex): DocumentPath | null {
  const parent = path.slice(0, -1);
  const takers = membersAt(members, parent)
    .map((member) => [...parent, member])
    .filter((target) => membersAt(members, target).includes(String(path.at(-1))));
  const rank = (target: DocumentPath): number => {
    const value = valueAt(document, target);
    return value === null ? 0 : value === undefined ? 2 : 1;
  };
  return takers.toSorted((a, b) => rank(a) - rank(b))[0] ?? null;
}

function elsewhere(path: DocumentPath, members: MemberIndex): DocumentPath | null {
  const name = String(path.at(-1));
  const place = Object.keys(members).find((known) => !known.includes("*") && members[known]?.includes(name));
  return place === undefined ? null : place === "" ? [] : place.split(".");
}
