import { spawnSync } from "node:child_process";

/** @param {string} text lines of a shell script @returns {readonly string[]} its commands, which may have several lines */
export function splitCommands(text) {
  const commands = [];
  let command = "";
  for (const line of text.split("\n")) {
    command = command === "" ? line : `${command}\n${line}`;
    if (/^\s*(#.*)?$/.test(command)) command = "";
    else if (isComplete(command)) {
      commands.push(command);
      command = "";
    }
  }
  if (command !== "") throw new Error(`the command does not end: ${command}`);
  return commands;
}

/** Asks bash. It only warns when the end of a here-document is missing. */
function isComplete(command) {
  if (command.endsWith("\\")) return false;
  const { status, stderr } = spawnSync("bash", ["-n"], { input: `${command}\n`, encoding: "utf8" });
  return status === 0 && stderr === "";
}
