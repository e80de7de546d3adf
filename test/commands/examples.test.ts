import { describe, expect, it } from "vitest";
import { buildProgram } from "../../src/commands/run.ts";

function commandLines(text: string): readonly string[] {
  // What another program writes is a file to read.
  const known = text.replaceAll(/ <\((?!edgewise )[^)]*\)/gu, " file");
  return [...known.matchAll(/^\s*(?:run: )?(?:source <\()?(edgewise [^|>)#\n]+)/gmu)].map(
    ([, line]) => line?.trim() ?? "",
  );
}

async function parsed(line: string): Promise<string | null> {
  let called = 0;
  const program = await buildProgram(() => async () => void (called += 1));
  for (const command of [program, ...program.commands]) command.exitOverride().configureOutput({ writeErr: () => {} });
  const args = line
    .split(/\s+/u)
    .slice(1)
    .map((arg) => arg.replaceAll('"', ""));
  await program.parseAsync(args, { from: "user" });
  return called === 1 ? (args[0] ?? null) : null;
}

const { commands } = await buildProgram(() => async () => {});

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
