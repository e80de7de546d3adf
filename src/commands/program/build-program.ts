import { Command } from "commander";
import { version } from "../../version.js";
import { defineAuthoring } from "./define-authoring.js";
import { definePlanning } from "./define-planning.js";
import { defineService } from "./define-service.js";
import type { StartCommand } from "./go.js";

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
