import { Command } from "commander";
import { EdgewiseError } from "../../errors.js";
import { version } from "../../version.js";
import { defineAuthoring } from "./define-authoring.js";
import { definePlanning } from "./define-planning.js";
import { defineService } from "./define-service.js";
import type { StartCommand } from "./option-groups.js";

/**
 * The whole command line as data: parsed by `run`, read by the completion scripts and the pages in docs/commands.
 * Commands themselves are imported when one is called.
 */
export function buildProgram(go: StartCommand): Command {
  const program = new Command("edgewise")
    .description("Makes a tunnel-edge account as the manifests in Git say: plan, apply, drift.")
    .usage("<command> [options]")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .helpCommand("help [command]", "show help of a command")
    .showHelpAfterError("(edgewise --help lists the commands; options stand after the command)")
    .enablePositionalOptions();
  definePlanning(program, go);
  defineAuthoring(program, go);
  defineService(program, go);
  for (const command of program.commands) {
    command
      .optionsGroup("Output:")
      .helpOption("-h, --help", "show help")
      .showHelpAfterError(`(edgewise ${command.name()} --help lists the options)`);
  }
  program.addHelpText(
    "after",
    `
Environment:
  EDGEWISE_API_KEY         the API key
  EDGEWISE_BASE_URL        where the API is
  EDGEWISE_STACK           the stack
  EDGEWISE_ENVIRONMENT     the environment of the configuration
  EDGEWISE_CONFIG          the configuration file
  EDGEWISE_VERSION_HEADER  the header that carries the API's version
  EDGEWISE_VAR_<NAME>      what \${{ env.<NAME> }} in a manifest reads
  Only EDGEWISE_VAR_<NAME> may be empty, and the API key for commands that do not contact the service.

Exit codes:
  0    done
  1    an error; nothing was changed
  2    changes pending or drift found, where asked for
  3    apply stopped part-way or did not converge; something was changed
  4    refused by a guard; nothing was changed
  130  interrupted before anything was changed

Examples:
  # start a repository
  edgewise init
  # what an apply would do, and do it
  edgewise plan
  edgewise apply`,
  );
  return program;
}

/**
 * Refuses options and arguments that were given and hold nothing: that is what a shell variable that is not set leaves,
 * and `apply "$PLAN"` must not do something else than applying a plan.
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
    remedy: "Give it a value, or leave it out. A shell variable that is not set gives an empty one.",
  });
}
