import { spawnSync } from "node:child_process";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { buildProgram } from "../../../src/commands/program/build-program.ts";
import { root } from "../../repository/source-files.ts";

const directory = join(root, "dist", "man");
const program = buildProgram(async () => {});
const commands = program.createHelp().visibleCommands(program);
const names = ["edgewise", ...commands.filter((one) => one.name() !== "help").map((one) => `edgewise-${one.name()}`)];

/** What `man` shows of a page, in one line, and what it complains about. */
function shown(name: string): { text: string; problems: string; status: number | null } {
  const { status, stdout, stderr } = spawnSync("man", ["--warnings", "-l", join(directory, `${name}.1`)], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"], LANG: "C.UTF-8", MANWIDTH: "100", MAN_KEEP_FORMATTING: "" },
  });
  return { status, problems: stderr, text: stdout.replaceAll(/.\u0008/gu, "").replaceAll(/\s+/gu, " ") };
}

// Continuous integration installs it.
const hasMan = process.env["CI"] !== undefined || spawnSync("man", ["--version"]).status === 0;

describe("the man pages", () => {
  it("are one for the program and one for each command, in the build and in package.json", async () => {
    expect((await readdir(directory)).toSorted()).toEqual(names.map((name) => `${name}.1`).toSorted());
    const { man } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { man: readonly string[] };
    expect(man.toSorted()).toEqual(names.map((name) => `dist/man/${name}.1`).toSorted());
  });

  it.runIf(hasMan)("render without warnings, with every command, variable and exit code", () => {
    const { problems, status, text } = shown("edgewise");
    expect({ problems, status }).toEqual({ problems: "", status: 0 });
    for (const command of commands) {
      if (command.name() !== "help") expect(text).toContain(`edgewise-${command.name()}(1)`);
    }
    expect(text).toContain("EDGEWISE_VAR_<NAME> The value of ${{ env.<NAME> }} in manifests.");
    expect(text).toContain("Empty variables are errors, except EDGEWISE_PAGER, EDGEWISE_VAR_<NAME>,");
    expect(text).toContain("130 Interrupted before anything was changed.");
    expect(text).toContain("# set up a repository edgewise init");
  });

  it.runIf(hasMan).each(commands.filter((one) => one.name() !== "help").map((one) => ({ command: one })))(
    "render without warnings, with every flag and value of a command",
    ({ command }) => {
      const { problems, status, text } = shown(`edgewise-${command.name()}`);
      expect({ problems, status }).toEqual({ problems: "", status: 0 });
      expect(text).toContain(`edgewise ${command.name()}`);
      for (const option of command.createHelp().visibleOptions(command)) {
        expect(text).toContain(`${option.flags} `);
        for (const choice of option.argChoices ?? []) expect(text).toContain(choice);
      }
    },
  );
});
