import type { JsonObject } from "../core/json.js";
import { kindNames } from "../kinds/names.js";

/** Resources that manifests describe: the file of each, by kind and name. */
export interface KnownNames {
  readonly [kind: string]: { readonly [name: string]: string };
}

/** The schemas that editors load, by file name. Each is whole: it refers to no other file. */
export const editorSchemaFiles = {
  manifest: "manifest.schema.json",
  config: "config.schema.json",
  fleet: "fleet.schema.json",
  policy: "traffic-policy.schema.json",
} as const;

export const writtenBy = "Written by `edgewise schema --out`, which writes it anew. Not to be edited.";

/** Whether a file is one of these schemas, of whatever version. */
export function isEditorSchema(text: string): boolean {
  return text.slice(0, 1000).includes(writtenBy);
}

/** Adds the names of resources as suggestions. Each list of names has a line of its own. */
export function editorSchemas(
  known: KnownNames,
  texts: { readonly [file: string]: string },
): ReadonlyMap<string, string> {
  const lists = Object.entries(nameLists(known));
  return new Map(
    Object.entries(texts).map(([file, text]) => {
      const used = lists.filter(([name]) => text.includes(`"#/definitions/${name}"`));
      const lines = used.map(([name, list]) => `${JSON.stringify(name)}: ${JSON.stringify(list)}`);
      const definitions = lines.length === 0 ? "" : `,\n"definitions": {\n${lines.join(",\n")}\n}`;
      return [file, `${text.slice(0, text.lastIndexOf("\n"))}${definitions}\n}\n`];
    }),
  );
}

function nameLists(known: KnownNames): { readonly [name: string]: JsonObject } {
  const byKind = kindNames.map((kind) => [kind, Object.entries(known[kind] ?? {}).toSorted(byName)] as const);
  const addresses = byKind
    .flatMap(([kind, entries]) => entries.map(([name, file]) => [`${kind}/${name}`, file] as const))
    .toSorted(byName);
  return {
    ...Object.fromEntries(byKind.map(([kind, entries]) => [kind, nameList(entries)])),
    addresses: nameList(addresses),
    addressMembers: {
      properties: Object.fromEntries(
        addresses.map(([address, file]) => [address, { description: file, ...anything }] as const),
      ),
    },
  };
}

function byName([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return a < b ? -1 : 1;
}

function nameList(entries: readonly (readonly [string, string])[]): JsonObject {
  const descriptions = entries.map(([, file]) => file);
  return {
    ...suggestedOnly(entries.map(([name]) => name)),
    ...(entries.length === 0 ? {} : { enumDescriptions: descriptions }),
  };
}

/** Any value, in a form of which language servers know that a value follows: without it they insert no colon. */
export const anything: JsonObject = { anyOf: [{}] };

/** What YAML reads as something else gets its quotes here: language servers insert values without a type as they are. */
const otherInYaml = /^(?:true|false|null|0x[0-9a-f]+|0o[0-7]+|[0-9]+(?:\.[0-9]*)?(?:e-?[0-9]+)?)$/;

/** Completed, not required: an alternative that never matches changes neither what is valid nor what is shown. */
export function suggestedOnly(values: readonly string[]): JsonObject {
  const never = { $comment: "Suggestions: this alternative never matches.", not: {} };
  if (values.length === 0) return never;
  return { ...never, enum: values.map((value) => (otherInYaml.test(value) ? JSON.stringify(value) : value)) };
}
