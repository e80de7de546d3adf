import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const root = resolve(dirname(fileURLToPath(import.meta.url)), "..", "..");

export interface SourceFile {
  /** Below src/, with `/`. */
  readonly path: string;
  /** The first folder below src/; `core` also for what lies directly in it. */
  readonly folder: string;
  readonly text: string;
}

export interface Import {
  readonly typeOnly: boolean;
  readonly folder: string | null;
  readonly specifier: string;
}

export function sourceFiles(): readonly SourceFile[] {
  return readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(".ts"))
    .toSorted()
    .map((path) => ({ path, folder: folderOf(path), text: readFileSync(join(root, "src", path), "utf8") }));
}

function folderOf(path: string): string {
  const slash = path.indexOf("/");
  return slash === -1 ? "core" : path.slice(0, slash);
}

const statement =
  /^\s*(?:import|export)\s+(type\s+)?(?:[\w*{][^;"']*?\sfrom\s+)?"([^"]+)"|\bimport\(\s*"([^"]+)"\s*\)/gm;

export function importsOf(file: Pick<SourceFile, "path" | "text">): readonly Import[] {
  return [...file.text.matchAll(statement)].map((match) => {
    const specifier = match[2] ?? match[3] ?? "";
    const target = specifier.startsWith(".") ? posix.join(posix.dirname(file.path), specifier) : null;
    return { typeOnly: match[1] !== undefined, folder: target === null ? null : folderOf(target), specifier };
  });
}

export function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "");
}
