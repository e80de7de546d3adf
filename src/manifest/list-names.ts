import { type Json, isObject } from "../core/json.js";
import { type KindName, kindNames } from "../kinds/names.js";
import { parseFile } from "../yaml/parse-file.js";
import { findFiles } from "./find-files.js";
import type { LoadOptions } from "./load-options.js";
import { LoadRun } from "./load-run.js";
import { substitute } from "./variables.js";

/** The resources that manifests name, and what could not be looked at. */
export interface ListedNames {
  /** By kind and name, the first file that describes the resource. */
  readonly names: { readonly [K in KindName]: { readonly [name: string]: string } };
  /** Files that can't be read, and patterns without a match. `validate` says why. */
  readonly unread: readonly string[];
}

/**
 * Lists the names in manifests without checking anything else of them: while somebody edits, some manifests are always
 * broken, and the others can be referred to all the same.
 * @throws EdgewiseError only when the file tree as a whole can't be read
 */
export async function listNames(options: LoadOptions): Promise<ListedNames> {
  const { patternBase, patterns, tree } = options;
  const run = new LoadRun(options);
  const found = await findFiles(tree, patterns, patternBase);
  const unread = found.problems.map(({ pattern }) => pattern);
  const names = new Map(kindNames.map((kind) => [kind, new Map<string, string>()]));
  for (const [index, file] of found.files.entries()) {
    const read = await run.text(file);
    const text = "text" in read ? read.text : null;
    if ((run.spend("manifestFiles", 1) ?? run.spend("manifestBytes", text?.length ?? 0)) !== null) {
      unread.push(...found.files.slice(index));
      break;
    }
    if (text === null) unread.push(file);
    for (const { value } of text === null ? [] : parseFile(text).documents) {
      const named = nameIn(value, options);
      const files = named === null ? undefined : names.get(named.kind);
      if (named !== null && files?.has(named.name) === false) files.set(named.name, file);
    }
  }
  const byKind = kindNames.map((kind) => [kind, Object.fromEntries(names.get(kind) ?? [])] as const);
  return { names: Object.fromEntries(byKind) as ListedNames["names"], unread };
}

/** A name as manifests may have it, which also keeps odd text out of what is generated from it. */
const namePattern = /^[a-z0-9](?:[a-z0-9._-]{0,98}[a-z0-9])?$/;

function nameIn(
  document: Json,
  from: Pick<LoadOptions, "variables" | "env">,
): { readonly kind: KindName; readonly name: string } | null {
  if (!isObject(document) || !isObject(document["metadata"])) return null;
  const kind = kindNames.find((known) => known === document["kind"]);
  const { name: written } = document["metadata"];
  if (kind === undefined || typeof written !== "string") return null;
  const name = substitute(written, { from, report: () => undefined });
  return typeof name === "string" && namePattern.test(name) ? { kind, name } : null;
}
