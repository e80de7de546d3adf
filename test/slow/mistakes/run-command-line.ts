import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readFileSync, writeFileSync } from "node:fs";
import { expect } from "vitest";
import { cli, temporary } from "../../support/cli.ts";
import { type Ran, type Stage, backend, stage } from "../../commands/stage.ts";
import { listPaths } from "../../support/lists.ts";

/** A mistake on a command line, or in what surrounds it. */
export interface Mistake {
  readonly args: readonly string[];
  readonly exit: 1 | 4;
  /** Written before, into the directory or below it; a name that ends with a mode (`key@666`) gets that mode. */
  readonly files?: { readonly [path: string]: string };
  /** Beside those of a stage; null = unset. */
  readonly env?: { readonly [name: string]: string | null };
  /** Below the directory: where the command runs. */
  readonly in?: string;
  /** What the remedy says to type instead, which must work: its exit code is not 1. */
  readonly instead?: readonly string[];
  /** Whether to run it as a process of its own. */
  readonly process?: true;
}

/** A configuration, one manifest, and a sandbox. */
export async function project(): Promise<Stage> {
  const at = await stage();
  await at.write("edge/backend.yaml", backend("maintenance", "status_code: 503", ", labels: {team: payments}"));
  return at;
}

/** Makes a mistake in a project of its own, and returns what is printed. */
export async function make(mistake: Mistake, at: Stage): Promise<Ran> {
  for (const [named, text] of Object.entries(mistake.files ?? {})) {
    const [path = "", mode] = named.split("@");
    await mkdir(dirname(join(at.dir, path)), { recursive: true });
    await writeFile(join(at.dir, path), text, { mode: 0o600 });
    if (mode !== undefined) await chmod(join(at.dir, path), Number.parseInt(mode, 8));
  }
  const cwd = join(at.dir, mistake.in ?? "");
  const changed = { ...at.env, ...mistake.env };
  const env = Object.fromEntries(
    Object.entries(changed).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  );
  if (mistake.process !== true) return at.runWith({ cwd, env }, ...mistake.args).ran;
  const { exit, err, out } = await cli(mistake.args, { cwd, env });
  return { exit: exit ?? -1, err, out };
}

/** The same text in every run. */
export function normal(text: string, at: Pick<Stage, "dir" | "sandbox">): string {
  return text
    .replaceAll(at.sandbox.baseUrl, "SANDBOX")
    .replaceAll(at.dir, "DIR")
    .replaceAll(/127\.0\.0\.1:\d{4,5}/gu, "127.0.0.1:PORT")
    .replaceAll(/(port|--port) \d{4,5}\b/giu, "$1 PORT")
    .replaceAll(new RegExp(`(GET |no )(?:${listPaths.join("|")})`, "gu"), "$1/LIST")
    .replaceAll(/operation op_\w+/gu, "operation OP");
}

/** A command line as it would be typed. */
export function typed({ args, env = {}, in: where }: Mistake, text: (value: string) => string): string {
  const word = (arg: string): string => (/^[\w./:=@%+~^,-]+$/u.test(arg) ? arg : `'${arg}'`);
  const variables = Object.entries(env).map(([name, value]) =>
    value === null ? `-u ${name}` : `${name}=${word(value)}`,
  );
  const before = variables.length === 0 ? "" : `env ${variables.join(" ")} `;
  return text(`${where === undefined ? "" : `cd ${where} && `}${before}edgewise ${args.map(word).join(" ")}`);
}

/** Compares the table of a group with its file; `UPDATE_GOLDEN=1` writes the file. */
export function expectTable(name: string, table: string): void {
  const file = join(import.meta.dirname, "command-line", `${name}.txt`);
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(file, table);
  expect(readFileSync(file, "utf8"), "UPDATE_GOLDEN=1 writes it").toBe(table);
}

/** An empty directory beside a sandbox: nothing is configured. */
export async function nothingHere(): Promise<Stage> {
  const at = await stage();
  const dir = await temporary();
  return { ...at, dir };
}
