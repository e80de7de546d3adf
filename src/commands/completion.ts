import type { Command } from "commander";
import { bashScript } from "./completion/bash-script.js";
import { describeProgram } from "./completion/describe-program.js";
import { fishScript } from "./completion/fish-script.js";
import { zshScript } from "./completion/zsh-script.js";
import type { Io } from "./io.js";

/** `completion SHELL`: a script made from the program itself, so that it knows every command, flag and value. */
export async function completionCommand(shell: string, program: Command, io: Io): Promise<number> {
  const described = describeProgram(program);
  const script =
    shell === "fish" ? fishScript(described) : shell === "zsh" ? zshScript(described) : bashScript(described);
  io.stdout(script);
  return 0;
}
