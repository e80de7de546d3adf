import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { buildProgram } from "../../src/commands/program/build-program.ts";
import { initFiles } from "../../src/init/init-files.ts";

/** The command lines in a text, without what the shell does with them. */
function commandLines(text: string): readonly string[] {
  return [...text.matchAll(/^\s*(?:run: )?(?:source <\()?(edgewise [^|>)#\n]+)/gmu)].map(
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

it.each([
  [true, "node .edgewise/edgewise.mjs"],
  [false, "edgewise"],
])("the workflow that init writes is YAML whose command lines parse, vendored: %s", async (vendored, program) => {
  const files = initFiles({ stack: "demo", version: "1.2.3", vendored });
  const text = files.find(({ path }) => path.endsWith(".yml"))?.text ?? "";
  expect(parse(text)).toMatchObject({ name: "edgewise", jobs: { edgewise: { steps: expect.any(Array) } } });
  const lines = [...text.matchAll(/run: ((?:node \S+|edgewise) [^|>#\n]+)/g)].map(([, line]) => line?.trim() ?? "");
  const ours = lines.filter((line) => line !== "edgewise --version");
  expect(ours.filter((line) => !line.startsWith(`${program} `))).toEqual([]);
  const commands = await Promise.all(ours.map(async (line) => parsed(line.replace(program, "edgewise"))));
  expect(commands).toEqual(["validate", "plan", "apply", "drift"]);
});
