import type { Command } from "commander";

/** Adds examples to a command's help: each a command line and what it is for. */
export function addExamples(command: Command, lines: readonly (readonly [line: string, purpose: string])[]): void {
  const text = lines.map(([line, purpose]) => `  # ${purpose}\n  ${line}`).join("\n");
  command.addHelpText("after", `\nExamples:\n${text}`);
}
