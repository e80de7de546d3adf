import type { DocumentPath } from "../core/document-path.js";

/** Members by path, with `*` for any element or any member of a free map; see scripts/generate-members.mjs. */
export interface MemberIndex {
  readonly [path: string]: readonly string[];
}

/** The members that the schema names at a path, without the wildcard. Empty where any member is allowed. */
export function membersAt(members: MemberIndex, path: DocumentPath): readonly string[] {
  return (members[indexPath(members, path)] ?? []).filter((name) => name !== "*");
}

/** A path as the index spells it: elements and members of free maps become `*`. */
function indexPath(members: MemberIndex, path: DocumentPath): string {
  let known = "";
  for (const step of path) {
    const named = typeof step === "string" && (members[known]?.includes(step) ?? false);
    known = join(known, named ? step : "*");
  }
  return known;
}

/** Whether a path is a field of the schema, or below a field that takes any value. */
export function isField(members: MemberIndex, path: readonly string[]): boolean {
  let known = "";
  for (const step of path) {
    const names = members[known];
    if (names === undefined) return false;
    if (!names.includes(step)) return names.includes("*");
    known = join(known, step);
  }
  return true;
}

/** The paths of all fields below a path of the index. */
export function fieldsBelow(members: MemberIndex, start: string): readonly string[] {
  const fields: string[] = [];
  for (const [path, names] of Object.entries(members)) {
    if ((path !== start && !path.startsWith(`${start}.`)) || path.includes("*")) continue;
    for (const name of names) if (name !== "*") fields.push(join(path, name));
  }
  return fields;
}

function join(path: string, step: string): string {
  return path === "" ? step : `${path}.${step}`;
}
