import { Command, CommanderError } from "commander";
import { EdgewiseError } from "../core/errors.js";
import { cut } from "../core/text.js";
import { version } from "../core/version.js";
import { type CommandIo, type GuardedIo, type OutputFlags, commandIo } from "./support/command-io.js";
import type { DefineCommand, RunCommand } from "./support/command-options.js";
import { showError } from "./support/show-error.js";

type LoadCommand = () => Promise<{ readonly define: DefineCommand }>;

/** Every command, as the help lists them. Its file holds its options and what it does, and is imported when it is used. */
const commandGroups: { readonly [title: string]: { readonly [name: string]: readonly [string, LoadCommand] } } = {
  "Plan and apply:": {
    plan: ["preview the changes to the live account", () => import("./plan.js")],
    apply: ["apply the manifests to the live account", () => import("./apply.js")],
    show: ["show a saved plan", () => import("./show.js")],
    drift: ["report changes made outside of Git", () => import("./drift.js")],
    pull: ["write what is live into the manifests", () => import("./pull.js")],
    destroy: ["delete everything that the stack owns", () => import("./destroy.js")],
    ci: ["run a step of a pipeline", () => import("./ci.js")],
  },
  "Write manifests:": {
    init: ["set up a repository", () => import("./init.js")],
    validate: ["check the manifests offline", () => import("./validate.js")],
    policy: ["test the policies of the configuration", () => import("./policy.js")],
    graph: ["show the dependencies between manifests", () => import("./graph.js")],
    stacks: ["list the configurations and environments below this directory", () => import("./stacks.js")],
    export: ["write manifests for live resources", () => import("./export.js")],
    schema: ["print the JSON Schema of a kind, or write those for editors", () => import("./schema.js")],
    explain: ["explain a kind or a field", () => import("./explain.js")],
  },
  "Service and shell:": {
    ping: ["check base URL, API key, version header and what can be read", () => import("./ping.js")],
    list: ["list what is live, whose it is and who refers to it", () => import("./list.js")],
    unlock: ["remove the account's lock that an apply left behind", () => import("./unlock.js")],
    sandbox: ["run a local server of the whole API, for tests and dry runs", () => import("./sandbox.js")],
    serve: ["reconcile a fleet file's stacks with Git", () => import("./serve.js")],
    approve: ["approve what waits in a stack of edgewise serve", () => import("./approve.js")],
    completion: ["print a shell completion script", () => import("./completion.js")],
    version: ["print the version, the commit, Node and the platform", () => import("./show-version.js")],
  },
};

/**
 * Builds the command line: parsed by `run`, read by completion and the pages in docs/commands.
 * @param only the one command that is loaded, the others have a name and a summary; absent = all are loaded
 */
export async function buildProgram(run: RunCommand, only?: string): Promise<Command> {
  const program = new Command("edgewise")
    .description("Manages a tunnel-edge account from manifests in Git: plan, apply, drift.")
    .usage("<command> [options]")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .helpCommand("help [command]", "show help for a command")
    .enablePositionalOptions();
  for (const [title, commands] of Object.entries(commandGroups)) {
    program.commandsGroup(title);
    for (const [name, [summary, load]] of Object.entries(commands)) {
      const command = program.command(name).summary(summary);
      if (only === undefined || only === name) (await load()).define(command, run);
      command.optionsGroup("Output:").helpOption("-h, --help", "show help");
    }
  }
  return program.addHelpText("after", environmentAndExitCodes);
}

const environmentAndExitCodes = `
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
  edgewise apply`;

// All that the program's entry needs, so that it imports one file.
export { guarded } from "./support/command-io.js";
export { endOnSignals, endWhenDone, processIo, showUncaughtErrors, surviveClosedPipes } from "./support/process-io.js";

/**
 * Parses a command line and runs its command.
 * @param args without node and the script
 * @returns the exit code
 */
export async function run(args: readonly string[], io: GuardedIo): Promise<number> {
  let exit = 0;
  let given: OutputFlags = logFormatOf(args);
  const named = (args[0] === "help" ? args[1] : args[0]) ?? "";
  const program = await buildProgram(
    (start) => {
      const begin = start as (io: CommandIo, ...args: readonly unknown[]) => Promise<number>;
      // The last one is the command itself.
      return async (...own) => void (exit = await begin(commandIo(io, given), ...own.slice(0, -1)));
    },
    named === "completion" ? undefined : named,
  );
  for (const command of [program, ...program.commands]) {
    command.exitOverride();
    command.configureOutput({
      writeOut: (text) => io.stdout(text),
      writeErr: (text) => io.stderr(text),
      // Shown below, like every other error.
      outputError: () => {},
      getOutHasColors: () => io.color,
      getErrHasColors: () => io.stderrColor,
      ...(io.columns === undefined ? {} : { getOutHelpWidth: () => io.columns ?? 80 }),
    });
  }
  program.hook("preAction", (_, command) => {
    given = command.opts();
    refuseEmptyValues(command);
  });
  try {
    await program.parseAsync(args, { from: "user" });
    return exit;
  } catch (error) {
    if (!(error instanceof CommanderError)) return showError(error, commandIo(io, given));
    // Help and version end with 0; without any command, the help was shown on stderr.
    if (error.exitCode === 0 || error.code === "commander.help") return error.exitCode;
    const known = program.commands.some((command) => command.name() === named);
    return showError(usageError(error, known ? `edgewise ${named} --help` : "edgewise --help"), commandIo(io, given));
  }
}

function logFormatOf(args: readonly string[]): Pick<OutputFlags, "logFormat"> {
  return / --log-format[ =]json( |$)/u.test(` ${args.join(" ")}`) ? { logFormat: "json" } : {};
}

/** The parser's own words and suggestion. What follows a = may be confidential and is not quoted. */
function usageError({ message }: CommanderError, help: string): EdgewiseError {
  const [, what = "", suggestion] = /^(?:error: )?(.*?)(?:\n\((Did you mean [^\n]*\?)\))?$/su.exec(message) ?? [];
  const shown = cut(what.replace(/^(unknown option '[^=]*)=.*/su, "$1'"), 300);
  return new EdgewiseError("usage", shown, {
    remedy: `${suggestion === undefined ? "" : `${suggestion} `}\`${help}\` shows what can be given.`,
  });
}

/**
 * Refuses options and arguments that were given but are empty, as an unset shell variable leaves them: `apply "$PLAN"` must
 * not do anything but apply a plan.
 */
function refuseEmptyValues(command: Command): void {
  const given: (readonly [name: string, value: unknown])[] = [
    ...command.options.map(
      (option) => [option.long ?? option.flags, command.getOptionValue(option.attributeName())] as const,
    ),
    ...command.processedArgs.map(
      (value: unknown, index) => [`the argument ${command.registeredArguments[index]?.name()}`, value] as const,
    ),
  ];
  const isEmpty = (value: unknown): boolean =>
    Array.isArray(value) ? value.some(isEmpty) : typeof value === "string" && value.trim() === "";
  const empty = given.find(([, value]) => isEmpty(value));
  if (empty === undefined) return;
  throw new EdgewiseError("usage", `${empty[0]} is empty`, {
    remedy: "Give it a value, or leave it out. An unset shell variable expands to nothing.",
  });
}
