import { createInterface } from "node:readline";
import { isatty } from "node:tty";
import { type Command, CommanderError } from "commander";
import { misuse } from "../core/errors.js";
import { cut } from "../core/text.js";
import { buildCommit, buildModified, version } from "../core/version.js";
import {
  type CommandIo,
  type GuardedIo,
  type Io,
  type OutputFlags,
  commandIo,
  guarded,
  interrupted,
} from "./support/command-io.js";
import { CommandLine, type DefineCommand, type RunCommand } from "./support/command-options.js";
import { writeData } from "./support/output.js";
import { showError } from "./support/show-error.js";

type LoadCommand = () => Promise<{ readonly define: DefineCommand }>;

const commandGroups: { readonly [title: string]: { readonly [name: string]: readonly [string, LoadCommand] } } = {
  "Plan and apply:": {
    plan: ["preview the changes to the live account", () => import("./plan.js")],
    apply: ["apply the manifests to the live account", () => import("./apply.js")],
    show: ["show a saved plan", async () => ({ define: (await import("./plan.js")).defineShow })],
    drift: ["report changes made outside of Git", () => import("./drift.js")],
    pull: ["write what is live into the manifests", () => import("./pull.js")],
    destroy: [
      "delete everything that the stack owns",
      async () => ({ define: (await import("./apply.js")).defineDestroy }),
    ],
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
    explain: ["explain a kind or a field", async () => ({ define: (await import("./schema.js")).defineExplain })],
  },
  "Service and shell:": {
    ping: ["check base URL, API key, version header and what can be read", () => import("./ping.js")],
    list: ["list what is live, whose it is and who refers to it", () => import("./list.js")],
    unlock: ["remove the account's lock that an apply left behind", () => import("./unlock.js")],
    sandbox: ["run a local server of the whole API, for tests and dry runs", () => import("./sandbox.js")],
    serve: ["reconcile a fleet file's stacks with Git", () => import("./serve.js")],
    approve: ["approve what waits in a stack of edgewise serve", () => import("./approve.js")],
    completion: ["print a shell completion script", () => import("./completion.js")],
    version: ["print the version, the commit, Node and the platform", async () => ({ define: defineVersion })],
  },
};

const defineVersion: DefineCommand = (command, run) =>
  command
    .shared(["text", "json"])
    .examples([["edgewise version -o json", "for a bug report"]])
    .action(run(showVersion));

async function showVersion(io: CommandIo) {
  const { arch, platform, versions } = process;
  const result = {
    format: "edgewise.version/v1",
    version,
    commit: buildCommit,
    modified: buildModified,
    node: versions.node,
    platform: `${platform}-${arch}`,
  };
  const text = [
    `edgewise ${result.version}`,
    `commit   ${result.commit ?? "unknown"}${result.modified === true ? ", with uncommitted changes" : ""}`,
    `Node     ${result.node}`,
    `platform ${result.platform}`,
  ].join("\n");
  await writeData(result, () => text, io);
  return 0;
}

export async function buildProgram(run: RunCommand, only?: string): Promise<Command> {
  const program = new CommandLine("edgewise")
    .description("Manages a tunnel-edge account from manifests in Git: plan, apply, drift.")
    .usage("<command> [options]")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .helpCommand("help [command]", "show help for a command")
    .enablePositionalOptions();
  for (const [title, commands] of Object.entries(commandGroups)) {
    program.commandsGroup(title);
    for (const [name, [summary, load]] of Object.entries(commands)) {
      const command = program
        .command(name)
        .summary(summary)
        .optionsGroup(`${capitalized(name)}:`);
      if (only === undefined || only === name) (await load()).define(command, run);
      command.description(`${capitalized(summary)}. ${command.description()}`.trim());
      command.optionsGroup("Output:").helpOption("-h, --help", "show help");
    }
  }
  return program.addHelpText("after", environmentAndExitCodes);
}

function capitalized(text: string) {
  return text.charAt(0).toUpperCase() + text.slice(1);
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
`;

export async function run(args: readonly string[], io: GuardedIo): Promise<number> {
  let exit = 0;
  // Also for a command line that can't be parsed.
  let given: OutputFlags = / --log-format[ =]json( |$)/u.test(` ${args.join(" ")}`) ? { logFormat: "json" } : {};
  const named = (args[0] === "help" ? args[1] : args[0]) ?? "";
  const program = await buildProgram(
    (start) => {
      const begin = start as (io: CommandIo, ...args: readonly unknown[]) => Promise<number>;
      return async (...own) => void (exit = await begin(commandIo(io, given), ...own.slice(0, -1)));
    },
    named === "completion" ? undefined : named,
  );
  const isKnown = program.commands.some((command) => command.name() === named);
  for (const command of [program, ...program.commands]) {
    command.exitOverride();
    command.configureOutput({
      writeOut: (text) => io.stdout(text),
      writeErr: (text) => io.stderr(text),
      outputError: () => {},
      getOutHasColors: () => io.color,
      getErrHasColors: () => io.stderrColor,
      ...(io.columns !== undefined && { getOutHelpWidth: () => io.columns ?? 80 }),
    });
  }
  program.hook("preAction", (_, command) => {
    given = command.opts();
    refuseEmptyValues(command);
  });
  try {
    // Of a command that is none, commander's own `help` would show the help of all, and no error.
    const isNone = args[0] === "help" && named !== "" && !isKnown;
    await program.parseAsync(isNone ? args.slice(1) : args, { from: "user" });
    return exit;
  } catch (error) {
    if (!(error instanceof CommanderError)) return showError(error, commandIo(io, given));
    if (error.exitCode === 0 || error.code === "commander.help") return error.exitCode;
    // What follows a = may be confidential.
    const [, what = "", meant] = /^(?:error: )?(.*?)(?:\n\((Did you mean [^\n]*\?)\))?$/su.exec(error.message) ?? [];
    const help = `\`edgewise ${isKnown ? `${named} ` : ""}--help\` shows what can be given.`;
    const shown = cut(what.replace(/^(unknown option '[^=]*)=.*/su, "$1'"), 300);
    return showError(misuse(shown, meant === undefined ? help : `${meant} ${help}`), commandIo(io, given));
  }
}

/** With an unset variable, `apply "$PLAN"` must not apply anything else. */
function refuseEmptyValues(command: Command) {
  const isEmpty = (value: unknown): boolean =>
    Array.isArray(value) ? value.some(isEmpty) : typeof value === "string" && value.trim() === "";
  const option = command.options.find((each) => isEmpty(command.getOptionValue(each.attributeName())));
  const argument = command.registeredArguments.find((_, index) => isEmpty(command.processedArgs[index]));
  if (option === undefined && argument === undefined) return;
  const remedy = "Give it a value, or leave it out. An unset variable expands to nothing.";
  throw misuse(`${option?.long ?? `the argument ${argument?.name()}`} is empty`, remedy);
}

/** Node's own exit code for a module that waits for ever. */
const unfinished = 13;

export async function main(args: readonly string[]): Promise<void> {
  let finished = false;
  process.once("exit", () => {
    if (!finished) process.exitCode ??= unfinished;
  });
  // Else a signal in Node's last milliseconds would end a run that changed something with 130.
  process.once("beforeExit", () => process.exit());
  const io = guarded(processIo());
  surviveClosedPipes();
  endOnSignals(() => finished);
  showUncaughtErrors(io);
  const exit = await run(args, io);
  // A stream that failed meanwhile has set the exit code.
  process.exitCode = exit === 0 ? (process.exitCode ?? 0) : exit;
  finished = true;
}

function processIo(): Io {
  const { env, stdout, stderr } = process;
  return {
    stdout: (text) => void stdout.write(text),
    stderr: (text) => void stderr.write(text),
    env,
    cwd: process.cwd(),
    stdinIsTerminal: isatty(0),
    stderrIsTerminal: stderr.isTTY === true,
    color: mayColor(env, stdout.isTTY === true),
    stderrColor: mayColor(env, stderr.isTTY === true),
    // Some terminals report 0 columns.
    ...(stdout.isTTY && stdout.columns > 0 ? { columns: stdout.columns } : {}),
    stderrColumns: () => (stderr.columns > 0 ? stderr.columns : undefined),
    ask,
    onSignal: (handler) => listen(["SIGINT", "SIGTERM"], handler),
    onHangup: (handler) => listen(["SIGHUP"], handler),
    now: () => Date.now(),
  };
}

function listen<S extends NodeJS.Signals>(signals: readonly S[], handler: (signal: S) => void): () => void {
  for (const signal of signals) process.on(signal, handler as NodeJS.SignalsListener);
  return () => signals.forEach((signal) => process.off(signal, handler));
}

/** `NO_COLOR` and `FORCE_COLOR`, unless empty, beat what the terminal is. */
function mayColor(env: Io["env"], isTerminal: boolean) {
  if (env["NO_COLOR"]) return false;
  if (env["FORCE_COLOR"]) return env["FORCE_COLOR"] !== "0" && env["FORCE_COLOR"] !== "false";
  return isTerminal && env["TERM"] !== "dumb";
}

async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  return new Promise((resolve, reject) => {
    const end = listen(["SIGINT", "SIGTERM"], () => {
      reject(interrupted());
      lines.close();
    });
    lines.once("close", () => {
      end();
      resolve("");
    });
    // readline takes Ctrl-C for itself.
    lines.once("SIGINT", () => {
      process.stderr.write("\n");
      process.emit("SIGINT", "SIGINT");
    });
    lines.question(question, (answer) => {
      resolve(answer);
      lines.close();
    });
  });
}

/** While no command listens, nothing was changed. The first signal after a run lets its result be written. */
function endOnSignals(isFinished: () => boolean) {
  let isAsked = false;
  listen(["SIGINT", "SIGTERM"], (signal) => {
    if (process.listenerCount(signal) > 1) return;
    if (isFinished() && !isAsked) isAsked = true;
    else process.exit(process.exitCode ?? 130);
  });
}

/** An apply goes on when the reader of its output is gone. */
function surviveClosedPipes() {
  for (const stream of [process.stdout, process.stderr]) {
    let shown = stream === process.stderr;
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE" || error.code === "ERR_STREAM_DESTROYED") return;
      if (!shown) process.stderr.write(`error: stdout can't be written: ${error.message}\n`);
      shown = true;
      process.exitCode ||= 1;
    });
  }
}

/** Also masks warnings of Node and packages, which may quote anything. */
function showUncaughtErrors(io: GuardedIo) {
  const show = async (thrown: unknown): Promise<never> => {
    try {
      return process.exit(await showError(thrown, commandIo(io, {})));
    } catch {
      return process.exit(1);
    }
  };
  process.on("uncaughtException", (error) => void show(error));
  // Node's own listener doesn't mask; it is missing with --no-warnings.
  if (process.listenerCount("warning") === 0) return;
  process.removeAllListeners("warning");
  process.on("warning", ({ name, message }) => io.stderr(io.redactor.redact(`(node) ${name}: ${message}\n`)));
}
