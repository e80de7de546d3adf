import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { buildProgram } from "../../src/commands/program/build-program.ts";
import { initFiles } from "../../src/init/init-files.ts";

/** The command lines in a text, without what the shell does with them. */
function commandLines(text: string): readonly string[] {
  // What another program writes is a file to read.
  const known = text.replaceAll(/ <\((?!edgewise )[^)]*\)/gu, " file");
  return [...known.matchAll(/^\s*(?:run: )?(?:source <\()?(edgewise [^|>)#\n]+)/gmu)].map(
    ([, line]) => line?.trim() ?? "",
  );
}

/** Parses a command line with the real program, and says which command would be run. */
async function parsed(line: string): Promise<string | null> {
  let called = 0;
  const program = buildProgram(async () => {
    called += 1;
  });
  for (const command of [program, ...program.commands]) command.exitOverride().configureOutput({ writeErr: () => {} });
  const args = line
    .split(/\s+/u)
    .slice(1)
    .map((arg) => arg.replaceAll('"', ""));
  await program.parseAsync(args, { from: "user" });
  return called === 1 ? (args[0] ?? null) : null;
}

const commands = buildProgram(async () => {}).commands;

describe("examples in the help", () => {
  it.each(commands.map((command) => [command.name(), command] as const))(
    "of %s are command lines that parse",
    async (name, command) => {
      let help = "";
      command.configureOutput({ writeOut: (text) => (help += text) });
      command.outputHelp();
      const lines = commandLines(help.slice(help.indexOf("Examples:")));
      expect(lines.length).toBeGreaterThan(0);
      for (const line of lines) expect(await parsed(line)).toBe(name);
    },
  );
});

it.each([true, false])(
  "the workflows that init writes are YAML whose command lines parse, vendored: %s",
  async (vendored) => {
    const files = initFiles({ stack: "demo", ci: "github", version: "1.2.3", vendored });
    const workflows = files.filter(({ path }) => path.startsWith(".github/"));
    for (const { path, text } of workflows) {
      expect(parse(text)).toMatchObject({ name: expect.stringMatching(/^edgewise /) });
      const program = vendored
        ? /node (?:"\$RUNNER_TEMP\/edgewise|\.edgewise)\/edgewise\.mjs"? /
        : /(?<![\w./-])edgewise (?!--version)/;
      const other = vendored ? /^ +(?:run: )?edgewise /m : /node |Program\n +id|steps\.program/;
      expect({ path, other: other.exec(text)?.[0] }).toEqual({ path, other: undefined });
      const runs = [...text.matchAll(/^ {8}run: (?:\|\n((?: {10}.*\n)+)|(.+))/gm)].map(
        ([, block, line]) => block ?? line ?? "",
      );
      const lines = runs.flatMap((run) => run.replaceAll("\\\n", "").split(program).slice(1));
      expect(lines.length).toBeGreaterThan(0);
      for (const line of lines) {
        const words = line
          .split(/ \|\|| ;;|[>|)\n]/)[0]
          ?.replaceAll(/"\$\{\w+\[@\]\}"|\$\{\w+:\+([^}]*)\}/g, "$1")
          .replaceAll(/"(--[\w-]+=)\$\w+"/g, "$1x")
          .replace('"$PLAN_HASH"', `sha256:${"0".repeat(64)}`)
          .replaceAll(/"\$[^"]*"/g, "x");
        // oxlint-disable-next-line no-await-in-loop
        expect(["stacks", "validate", "plan", "show", "apply", "drift"]).toContain(
          await parsed(`edgewise ${words?.trim()}`),
        );
      }
    }
    expect(workflows).toHaveLength(5);
  },
);
