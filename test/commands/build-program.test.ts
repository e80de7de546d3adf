import { describe, expect, it } from "vitest";
import { buildProgram } from "../../src/commands/program/build-program.ts";

const nothing = async (): Promise<void> => {};
const all = buildProgram(nothing).commands.map((command) => ({
  name: command.name(),
  help: command.helpInformation(),
}));

describe("buildProgram for one command", () => {
  it.each(all)("defines $name alone, as among all", ({ name, help }) => {
    const commands = buildProgram(nothing, name).commands;
    expect(commands.map((command) => command.name())).toEqual([name]);
    expect(commands[0]?.helpInformation()).toBe(help);
  });

  it.each(["help", "--help", "no-such-command", "toString", ""])("defines all for %j", (first) => {
    expect(buildProgram(nothing, first).commands.map((command) => command.name())).toEqual(all.map(({ name }) => name));
  });
});
