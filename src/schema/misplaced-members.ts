import type { ImproveWords } from "../diagnostics/diagnostic.js";
import type { WrittenValue } from "../diagnostics/written-value.js";
import { type DocumentPath, showPath, valueAt } from "../core/document-path.js";
import { type MemberIndex, membersAt } from "./members.js";
import type { SchemaError } from "./validator.js";

/** A member that the schema has in another place. */
interface Misplaced {
  readonly path: DocumentPath;
  readonly document: unknown;
  readonly members: MemberIndex;
  /** The map that it belongs to. */
  readonly target: DocumentPath;
}

/**
 * Says where an unknown member belongs. Most were indented too far or not far enough: then the line and column are named.
 * @param where `outward`: only the maps around its own
 * @returns null when the schema has no such member there
 */
export function misplacement(
  path: DocumentPath,
  document: unknown,
  members: MemberIndex,
  where: "outward" | "anywhere",
): Pick<SchemaError, "message" | "remedy" | "improve" | "explains"> | null {
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
  const found: Misplaced = { path, document, members, target };
  const improve: ImproveWords = (written) => {
    const remedy = isInside(path, target) ? outdent(written, found) : indent(written, found);
    return remedy === null ? null : { remedy };
  };
  return { message, remedy: `Move it to ${place}.`, improve, explains: [[...target, name], target] };
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

function isInside(path: DocumentPath, target: DocumentPath): boolean {
  return path.length > target.length + 1 && target.every((step, index) => path[index] === step);
}

/** For a member that is too far in: its column, when it and what follows can just be moved to the left. */
function outdent(written: WrittenValue, { members, path, target }: Misplaced): string | null {
  const parent = path.slice(0, -1);
  const owner = path.slice(0, target.length + 1);
  const form = written.formOf(parent);
  const place = target.length === 0 ? "the top of the document" : showPath(target);
  if (form?.style === "flow") return `Move it out of the braces of ${showPath(parent.slice(-1))}, to ${place}.`;
  if (form?.items == null || owner.some((step) => typeof step === "number")) return null;
  const after = form.items.slice(form.items.indexOf(String(path.at(-1))) + 1);
  if (after.some((name) => membersAt(members, parent).includes(name))) return null;
  return moveTo(written, written.keyAt(owner).column, path, owner);
}

/** For a member beside the map that it belongs to. */
function indent(written: WrittenValue, { document, path, target }: Misplaced): string | null {
  const parent = path.slice(0, -1);
  const form = written.formOf(parent);
  if (form?.style !== "block" || form.items === null) return null;
  if (valueAt(document, target) === undefined && target.length === 1)
    return `Put it below a line \`${showPath(target)}:\`, which is missing, and indent it by two spaces more than that.`;
  if (target.length !== path.length || valueAt(document, target) !== null) return null;
  const between = form.items.slice(
    form.items.indexOf(String(target.at(-1))) + 1,
    form.items.indexOf(String(path.at(-1))),
  );
  if (between.some((name) => valueAt(document, [...parent, name]) === undefined)) return null;
  return moveTo(written, written.keyAt(target).column + 2, path, target);
}

/** @param like the member that shows the right place: it is in the same column, or two before it */
function moveTo(written: WrittenValue, column: number, path: DocumentPath, like: DocumentPath): string {
  const own = written.keyAt(path);
  const other = written.keyAt(like);
  const name = showPath(like.slice(-1));
  const form = written.formOf(path);
  const along = form?.style === "block" ? "; the lines below it move along" : "";
  const why = other.column === column ? `like ${name} in line ${other.line}` : `below ${name} in line ${other.line}`;
  return `Begin line ${own.line} in column ${column}, not ${own.column}, ${why}${along}.`;
}
