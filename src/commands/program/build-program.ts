import { Command } from "commander";
import { EdgewiseError } from "../../core/errors.js";
import { version } from "../../core/version.js";
import { authoringCommands } from "./define-authoring.js";
import { planningCommands } from "./define-planning.js";
import { serviceCommands } from "./define-service.js";
import type { StartCommand } from "./option-groups.js";

const groups = [planningCommands, authoringCommands, serviceCommands];

/**
 * Builds the command line: parsed by `run`, read by completion and the pages in docs/commands. The code of a
 * command is imported when it is called.
 * @param first the first argument, when the rest of the program is not needed: if it names a command, only that one is
 *   defined, because defining all of them takes as long as reading the configuration
 */
export function buildProgram(go: StartCommand, first?: string): Command {
  const program = new Command("edgewise")
    .description("Manages a tunnel-edge account from manifests in Git: plan, apply, drift.")
    .usage("<command> [options]")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .helpCommand("help [command]", "show help for a command")
    .showSuggestionAfterError(false)
    .enablePositionalOptions();
  const isOnly = first !== undefined && groups.some(({ commands }) => Object.hasOwn(commands, first));
  for (const { title, commands } of groups) {
    program.commandsGroup(title);
    for (const [name, define] of Object.entries(commands)) if (!isOnly || name === first) define(program, go);
  }
  for (const command of program.commands) {
    command.optionsGroup("Output:").helpOption("-h, --help", "show help").showSuggestionAfterError(false);
  }
  program.addHelpText(
    "after",
    `
Environment:
  EDGEWISE_API_KEY         the API key
  EDGEWISE_BASE_URL        the base URL of the API
  EDGEWISE_STACK           the stack
  EDGEWISE_ENVIRONMENT     the environment in the configuration
  EDGEWISE_CONFIG          the configuration file
  EDGEWISE_VERSION_HEADER  the header that carries the API version
  EDGEWISE_DATABASE        the database of edgewise serve
  EDGEWISE_VAR_<NAME>      the value of \${{ env.<NAME> }} in manifests
  Empty variables are errors, except EDGEWISE_VAR_<NAME>, and EDGEWISE_API_KEY in commands that do not contact the service.

Exit codes:
  0    success
  1    error; nothing was changed
  2    changes pending or drift found, where requested
  3    apply stopped part-way or did not converge; something was changed
  4    refused by a guard or a lock; nothing was changed
  130  interrupted before anything was changed

Examples:
  # set up a repository
  edgewise init
  # preview the changes, then apply them
  edgewise plan
  edgewise apply`,
  );
  return program;
}

/**
 * Refuses options and arguments that were given but are empty, as an unset shell variable leaves them: `apply "$PLAN"`
 * must not do anything but apply a plan.
 * @throws EdgewiseError `usage`
 */
export function refuseEmptyValues(command: Command): void {
  for (const option of command.options) {
    const value: unknown = command.getOptionValue(option.attributeName());
    if (isEmpty(value)) throw empty(option.long ?? option.flags);
  }
  for (const [index, argument] of command.processedArgs.entries()) {
    if (isEmpty(argument)) throw empty(`the argument ${command.registeredArguments[index]?.name() ?? ""}`);
  }
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isEmpty);
  return typeof value === "string" && value.trim() === "";
}

function empty(what: string): EdgewiseError {
  return new EdgewiseError("usage", `${what} is empty`, {
    remedy: "Give it a value, or leave it out. An unset shell variable expands to nothing.",
  });
}
