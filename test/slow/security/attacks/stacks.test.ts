import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cliPath } from "../../../support/cli.ts";

const apiKey = "ak_9fQ2zX7mK4vT8bN1cR6wL3pJ5hD0sG";

let dir = "";

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "edgewise-stacks-"));
});

afterAll(async () => {
  await rm(dir, { recursive: true, force: true });
});

/**
 * Runs the program's entry after a few lines that make something go wrong in it: what a bug in edgewise, in a package or
 * in Node would do.
 */
async function programWith(
  lines: string,
  args: readonly string[],
  env: { readonly [name: string]: string } = {},
): Promise<string> {
  const file = join(dir, `${Math.random()}.mjs`);
  const cli = pathToFileURL(cliPath).href;
  await writeFile(
    file,
    `const key = process.env.EDGEWISE_API_KEY;\nprocess.argv.splice(2);process.argv.push(...${JSON.stringify(args)});\n${lines}\nawait import(${JSON.stringify(cli)});\n`,
  );
  const { PATH = "" } = process.env;
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [file], { cwd: dir, env: { PATH, EDGEWISE_API_KEY: apiKey, ...env } });
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (more: string) => (text += more));
    child.stderr.setEncoding("utf8").on("data", (more: string) => (text += more));
    // The first line of a sandbox says its key on purpose.
    child.on("close", () => resolve(text.replace(/^\{"baseUrl":.*\}\n/m, "")));
  });
}

/** Lines that do something as soon as the program has begun its work: it has said its first word then. */
const later = (what: string): string =>
  `const { write } = process.stdout;
process.stdout.write = function (...said) {
  process.stdout.write = write;
  setImmediate(() => { ${what} });
  return write.apply(this, said);
};`;
const sandbox = ["sandbox", "-o", "json"];
const soonEnded = `setTimeout(() => process.kill(process.pid, "SIGTERM"), 50);`;

const parts: readonly (readonly [string, string])[] = [
  ["the whole key", "key"],
  ["its beginning", "key.slice(0, 16)"],
  ["its end", "key.slice(-16)"],
];

const ways: readonly (readonly [string, (text: string) => string])[] = [
  ["an exception that nothing caught", (text) => later(`throw new Error("bug " + ${text})`)],
  ["a promise that was rejected", (text) => later(`Promise.reject(new TypeError("bug " + ${text}))`)],
  ["a rejection with a text", (text) => later(`Promise.reject("bug " + ${text})`)],
  ["an exception whose name holds it", (text) => later(`const e = new Error("bug"); e.name = ${text}; throw e`)],
  [
    "an exception with a stack of its own",
    (text) => later(`const e = new Error("bug " + ${text}); e.stack = "bug at " + ${text}; throw e`),
  ],
  ["a warning", (text) => later(`process.emitWarning("bug " + ${text}); ${soonEnded}`)],
  [
    "a warning that something is deprecated",
    (text) => later(`process.emitWarning("bug " + ${text}, "DeprecationWarning", "X1"); ${soonEnded}`),
  ],
];

const variants = ways.flatMap(([way, make]) =>
  parts.flatMap(([part, text]) => ["", "1"].map((debug) => [way, part, debug, make(text)] as const)),
);

describe("A bug, a package or Node itself writes a message, stack or warning that holds the API key → it is masked, with EDGEWISE_DEBUG too", () => {
  it.each(variants)("%s, with %s, EDGEWISE_DEBUG=%s", async (_way, _part, debug, lines) => {
    const text = await programWith(lines, sandbox, { EDGEWISE_DEBUG: debug });
    expect(text).toContain("bug");
    expect(text).toContain("(secret)");
    expect(text).not.toContain(apiKey);
  });
});

describe("The command line repeats the API key in a mistake that the parser complains about → it is masked", () => {
  it.each([
    ["an unknown command", [apiKey]],
    ["an unknown option", ["plan", `--${apiKey}`]],
    ["a value that is none", ["plan", "-o", apiKey]],
    ["an argument too many", ["plan", apiKey]],
    ["a kind that is none", ["explain", apiKey]],
    ["a file that is not there", ["show", apiKey]],
  ])("%s", async (_, args) => {
    const text = await programWith("", args, { EDGEWISE_DEBUG: "1" });
    expect(text).toMatch(/error/u);
    expect(text, text).not.toContain(apiKey);
  });
});
