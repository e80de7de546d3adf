import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { run } from "../../src/commands/run.ts";
import { memoryIo } from "../commands/memory-io.ts";

/** A directory with files. */
export async function directoryOf(files: { readonly [path: string]: string }): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "edgewise-names-"));
  onTestFinished(async () => rm(dir, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, path)), { recursive: true });
    await writeFile(join(dir, path), text);
  }
  return dir;
}

/** What the program prints for a completion script. It never fails, and never says anything on stderr. */
export async function reply(
  cwd: string,
  args: readonly string[],
  env: { readonly [name: string]: string } = {},
): Promise<readonly string[]> {
  const io = memoryIo({ cwd, env });
  expect(await run(["__complete", ...args], io)).toBe(0);
  expect(io.err()).toBe("");
  expect(io.out().endsWith("\n")).toBe(true);
  return io.out().split("\n").slice(0, -1);
}

/** What is offered for the last word of a line whose words have no blanks, with descriptions. */
export async function described(cwd: string, line: string, env = {}): Promise<readonly string[]> {
  const [what, ...lines] = await reply(cwd, ["fish", "edgewise", ...line.split(" ")], env);
  return what === "values" ? lines : [`(${what})`];
}

/** The same without descriptions. */
export async function offered(cwd: string, line: string, env = {}): Promise<readonly string[]> {
  return (await described(cwd, line, env)).map((each) => each.split("\t")[0] ?? "");
}
