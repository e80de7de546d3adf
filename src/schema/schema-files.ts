import { readFile } from "node:fs/promises";
import { isObject, type JsonObject } from "../json.js";

/** Schemas by what people call them: kinds as manifests spell them, the rest as commands and formats do. */
const files: { readonly [name: string]: string } = {
  IPRestriction: "ip-restriction",
  TLSEdge: "tls-edge",
  ReservedAddress: "reserved-address",
  HTTPResponseBackend: "http-response-backend",
  TLSCertificate: "tls-certificate",
  HTTPSEdge: "https-edge",
  HTTPSEdgeRoute: "https-edge-route",
  Config: "config",
  manifest: "manifest",
  plan: "plan",
  result: "result",
  drift: "drift",
  diagnostics: "diagnostics",
  export: "export",
  graph: "graph",
  journal: "journal",
  ping: "ping",
  sandbox: "sandbox",
};

/** What `edgewise schema` can print, in the order of its help. */
export const schemaNames: readonly string[] = Object.keys(files);

/** A schema's proper name, whatever the case it was asked for in; null when there is none. */
export function schemaName(asked: string): string | null {
  return schemaNames.find((name) => name.toLowerCase() === asked.toLowerCase()) ?? null;
}

/** A schema's file name, which is its `$id`. */
export function schemaFile(name: string): string {
  return `${files[name] ?? name}.schema.json`;
}

/** Schemas by file name. */
export type SchemaSet = ReadonlyMap<string, JsonObject>;

/**
 * Reads a schema of this package, with all that it refers to.
 * @param name one of {@link schemaNames}
 */
export async function readSchemas(name: string): Promise<SchemaSet> {
  // The same from src/schema and from dist/schema.
  const folder = new URL("../../schemas/", import.meta.url);
  const set = new Map<string, JsonObject>();
  let wanted = [schemaFile(name)];
  while (wanted.length > 0) {
    const texts = await Promise.all(wanted.map(async (file) => readFile(new URL(file, folder), "utf8")));
    for (const [index, file] of wanted.entries()) set.set(file, parseSchema(texts[index] ?? "", file));
    const mentioned = texts.flatMap((text) =>
      [...text.matchAll(/"\$ref": "([\w.-]+\.schema\.json)/g)].map(([, file]) => file ?? ""),
    );
    wanted = [...new Set(mentioned)].filter((file) => !set.has(file));
  }
  return set;
}

function parseSchema(text: string, file: string): JsonObject {
  const schema: unknown = JSON.parse(text);
  if (!isObject(schema)) throw new TypeError(`schemas/${file} is not an object`);
  return schema as JsonObject;
}
