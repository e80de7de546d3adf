import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { run } from "../../../src/commands/run.ts";
import { memoryIo } from "../../commands/memory-io.ts";
import { withFiles } from "../../manifest/support/load-text.ts";

/** One row of the table: what a new user writes, and everything that is printed. */
export interface Mistake {
  readonly title: string;
  readonly args: readonly string[];
  readonly env: { readonly [name: string]: string };
  /** Texts by path. A file whose heading ends in `escaped` has escapes like in a string of JavaScript. */
  readonly files: { readonly [path: string]: string };
  /** What the remedy says to write, for remedies that can be applied mechanically. */
  readonly changes: readonly Change[];
  /** `exit N`, and the whole output. */
  readonly printed: string;
  /** The row up to `=== exit`, as it is written. */
  readonly source: string;
}

/** A replacement in one file. `\n` in either text is a line break. */
interface Change {
  readonly path: string;
  readonly from: string;
  readonly to: string;
}

const config = "apiVersion: edgewise/v1\nkind: Config\nstack: demo\nmanifests: [edge/]\n";

/**
 * The rows of a file of mistakes. Each begins with `########## title`; then come, as often as needed, `$ arguments`,
 * `$ NAME=VALUE`, `--- path` with that file's text, and `=== change path: old → new`; then `=== exit N` and the output.
 */
export function mistakesIn(text: string): readonly Mistake[] {
  return text
    .split(/^########## /mu)
    .slice(1)
    .map(mistakeOf);
}

function mistakeOf(row: string): Mistake {
  const end = row.search(/^=== exit /mu);
  const source = end === -1 ? row : row.slice(0, end);
  const [title = "", ...lines] = source.split("\n");
  const files: { [path: string]: string } = { "edgewise.yaml": config };
  const env: { [name: string]: string } = {};
  const changes: Change[] = [];
  let args: readonly string[] = ["validate"];
  let open: { readonly path: string; readonly escaped: boolean } | null = null;
  for (const line of lines) {
    const heading = /^--- (\S+)( escaped)?$/u.exec(line);
    const change = /^=== change ([^:]+): (.*) → (.*)$/u.exec(line);
    const variable = /^\$ ([A-Z_]+)=(.*)$/u.exec(line);
    if (heading?.[1] !== undefined) {
      open = { path: heading[1], escaped: heading[2] !== undefined };
      files[open.path] = "";
    } else if (change !== null) {
      const [, path = "", from = "", to = ""] = change;
      changes.push({ path, from: from.replaceAll("\\n", "\n"), to: to.replaceAll("\\n", "\n") });
      open = null;
    } else if (open !== null) files[open.path] += open.escaped ? unescaped(line) : `${line}\n`;
    else if (variable?.[1] !== undefined) env[variable[1]] = variable[2] ?? "";
    else if (line.startsWith("$ ")) args = line.slice(2).split(" ");
    else if (line !== "") throw new Error(`${title}: what is ${JSON.stringify(line)}?`);
  }
  return { title, args, env, files, changes, printed: end === -1 ? "" : row.slice(end), source };
}

function unescaped(line: string): string {
  return line
    .replaceAll("\\r", "\r")
    .replaceAll("\\n", "\n")
    .replaceAll("\\t", "\t")
    .replaceAll(/\\u(....)/gu, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** Runs a row's command in a directory with its files, and with none of the process's own environment. */
export async function runMistake({ args, env, files }: Mistake): Promise<string> {
  const bytes = Object.entries(files).map(([path, text]) => [path, bytesOf(text)] as const);
  return withFiles(Object.fromEntries(bytes), async (root) => {
    const io = memoryIo({ cwd: root, env: { PATH: "", ...env } });
    const exit = await run(args, io);
    return `=== exit ${exit}\n${(io.out() + io.err()).replaceAll(root, "{root}")}`;
  });
}

/** The same in a process of its own. The program must be built. */
export function runMistakeInProcess({ args, env, files }: Mistake): Promise<string> {
  const bytes = Object.entries(files).map(([path, text]) => [path, bytesOf(text)] as const);
  return withFiles(Object.fromEntries(bytes), async (cwd) => {
    const program = join(import.meta.dirname, "../../../dist/bin/edgewise.js");
    const options = { cwd, env: { PATH: "", ...env }, encoding: "utf8" } as const;
    const { status, stderr, stdout } = spawnSync(process.execPath, [program, ...args], options);
    return `=== exit ${status}\n${(stdout + stderr).replaceAll(cwd, "{root}")}`;
  });
}

/** Bytes that are not UTF-8 are written as characters from U+F700 on. */
function bytesOf(text: string): Uint8Array {
  const parts = [...text].map((character) => {
    const code = character.codePointAt(0) ?? 0;
    return code >= 0xf700 && code <= 0xf7ff ? Buffer.from([code - 0xf700]) : Buffer.from(character);
  });
  return Buffer.concat(parts);
}

/** The same row after its remedies are applied. */
export function remedied(mistake: Mistake): Mistake {
  const files = { ...mistake.files };
  for (const { from, path, to } of mistake.changes) {
    const text = files[path];
    if (text?.includes(from) !== true) throw new Error(`${mistake.title}: ${path} has no ${JSON.stringify(from)}`);
    files[path] = text.replace(from, () => to);
  }
  return { ...mistake, files };
}
