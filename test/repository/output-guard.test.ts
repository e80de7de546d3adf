import { describe, expect, it } from "vitest";
import { sourceFiles, withoutComments } from "./source-files.ts";

const files = sourceFiles()
  .filter(({ folder }) => folder !== "generated")
  .map(({ path, text }) => ({ path, text: withoutComments(text) }));

const having = (pattern: RegExp): readonly string[] =>
  files.filter(({ text }) => pattern.test(text)).map(({ path }) => path);

/** The ways in which text leaves the process, and the files that may use each. */
const exits: readonly (readonly [what: string, pattern: RegExp, allowed: readonly string[]])[] = [
  [
    "stdout and stderr",
    /\bprocess\s*\.\s*(stdout|stderr)\b|\{[^}]*\b(stdout|stderr)\b[^}]*\}\s*=\s*process\b/,
    // The entry says nothing but the version and that Node is too old.
    ["cli.ts", "commands/support/process-io.ts"],
  ],
  ["the console", /\bconsole\s*\.|from "node:console"/, []],
  ["warnings of Node", /\bemitWarning\b/, []],
  [
    "files",
    /\b(writeFile|writeFileSync|appendFile|appendFileSync|createWriteStream|writeSync)\b/,
    // The sandbox's data is what a service would store; only the sandbox reads it.
    [
      "apply/journal.ts",
      "commands/export.ts",
      "commands/init.ts",
      "commands/support/manifest-files.ts",
      "commands/support/output-files.ts",
      // Addresses that the service gave, without a known secret.
      "commands/support/page-cache-file.ts",
      "commands/support/write-schemas.ts",
      // Process, host and time only.
      "files/process-lock.ts",
      "files/write-file.ts",
      "sandbox/data-file.ts",
      "sandbox/data-journal.ts",
      // Public keys and signatures, for ssh-keygen.
      "serve/sources/still-good.ts",
      "serve/sources/verify-tag.ts",
      // The state holds no secret; no record, plan or history entry does.
      "serve/store/state-disk.ts",
    ],
  ],
];

describe("text leaves the process", () => {
  it.each(exits)("by %s only where it is guarded", (_what, pattern, allowed) => {
    expect(having(pattern)).toEqual(allowed);
  });

  it("through one guard, which is made where the program begins", () => {
    expect(having(/\bprocessIo\(\)/)).toEqual(["cli.ts", "commands/support/process-io.ts"]);
    expect(files.find(({ path }) => path === "cli.ts")?.text).toContain("guarded(processIo())");
    expect(having(/\bnew Redactor\(/)).toEqual([
      "api/create-client.ts",
      "commands/support/io.ts",
      "serve/account/load-stack.ts",
    ]);
  });

  it("from no file that reads without a bound", () => {
    // Files of the package itself, what the system says of processes, and one of the person who runs `init`.
    expect(having(/\b(readFile|readFileSync|createReadStream)\(/)).toEqual([
      "commands/init.ts",
      "commands/support/vendor-program.ts",
      "files/running-process.ts",
      "version.ts",
    ]);
  });
});
