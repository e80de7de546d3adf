import { isObject } from "../json.js";
import { schemaText } from "../own-files.js";
import { textOf } from "../schema/hints.js";
import { type Explanation, type MemberLine, explain } from "../schema/explain-field.js";
import { type SchemaSet, readSchemas, schemaFile, schemaName, schemaNames } from "../schema/schema-files.js";
import { type Candidate, firstSentence } from "./candidate.js";

/** The schemas of some names, with what they describe. */
export async function schemaCandidates(names: readonly string[] = schemaNames): Promise<readonly Candidate[]> {
  return Promise.all(
    names.map(async (name) => {
      const schema: unknown = JSON.parse(await schemaText(schemaFile(name)));
      return { value: name, description: firstSentence(textOf(isObject(schema) ? schema["description"] : "")) };
    }),
  );
}

/**
 * One step on the way to a field: the schemas, or the members of the field before the last dot. What has members of its
 * own ends with a dot; `explain` takes that, too.
 */
export async function fieldCandidates(word: string): Promise<readonly Candidate[]> {
  const [asked = "", ...steps] = word.split(".");
  if (steps.length === 0) {
    return (await schemaCandidates()).map(({ value, description }) => ({
      value: `${value}.`,
      description,
      open: true,
    }));
  }
  const name = schemaName(asked);
  if (name === null) return [];
  const schemas = await readSchemas(name);
  const path = steps.slice(0, -1);
  const before = [asked, ...path].join(".");
  const found = explained(name, path, schemas);
  const members = found?.members ?? [];
  const isTaken = (member: MemberLine): boolean =>
    member.name.startsWith("spec.") && members.some(({ name: other }) => `spec.${other}` === member.name);
  return members
    .filter((member) => !isPlaceholder(member) && !isTaken(member))
    .map((member): Candidate => {
      // The fields of a spec are offered without it, unless the manifest itself has one of that name.
      const short = member.name.replace(/^spec\./u, "");
      const inside = explained(name, [...path, ...member.name.split(".")], schemas)?.members ?? [];
      const open = inside.some((each) => !isPlaceholder(each));
      return {
        value: `${before}.${short}${open ? "." : ""}`,
        description: firstSentence(member.description),
        ...(open ? { open } : {}),
      };
    });
}

function explained(name: string, path: readonly string[], schemas: SchemaSet): Explanation | null {
  const found = explain(name, path, schemas);
  return "missing" in found ? null : found;
}

/** Whether a member stands for any name that somebody chooses. */
function isPlaceholder({ name }: MemberLine): boolean {
  return name === "NAME" || name.endsWith(".NAME");
}
