import { Command } from "commander";
import { version } from "../core/version.js";
import type { DefineCommand, RunCommand } from "./support/command-options.js";

interface ListedCommand {
  readonly summary: string;
  readonly load: () => Promise<{ readonly define: DefineCommand }>;
}

/** Every command, as the help lists them. Its file holds its options and what it does, and is imported when it is used. */
const commandGroups: { readonly [title: string]: { readonly [name: string]: ListedCommand } } = {
  "Plan and apply:": {
    plan: { summary: "preview the changes to the live account", load: () => import("./plan.js") },
    apply: { summary: "apply the manifests to the live account", load: () => import("./apply.js") },
    show: { summary: "show a saved plan", load: () => import("./show.js") },
    drift: { summary: "report changes made outside of Git", load: () => import("./drift.js") },
    pull: { summary: "write what is live into the manifests", load: () => import("./pull.js") },
    destroy: { summary: "delete everything that the stack owns", load: () => import("./destroy.js") },
    ci: { summary: "run a step of a pipeline", load: () => import("./ci.js") },
  },
  "Write manifests:": {
    init: { summary: "set up a repository", load: () => import("./init.js") },
    validate: { summary: "check the manifests offline", load: () => import("./validate.js") },
    policy: { summary: "test the policies of the configuration", load: () => import("./policy.js") },
    graph: { summary: "show the dependencies between manifests", load: () => import("./graph.js") },
    stacks: {
      summary: "list the configurations and environments below this directory",
      load: () => import("./stacks.js"),
    },
    export: { summary: "write manifests for live resources", load: () => import("./export.js") },
    schema: {
      summary: "print the JSON Schema of a kind, or write those for editors",
      load: () => import("./schema.js"),
    },
    explain: { summary: "explain a kind or a field", load: () => import("./explain.js") },
  },
  "Service and shell:": {
    ping: {
      summary: "check base URL, API key, version header and what can be read",
      load: () => import("./ping.js"),
    },
    list: { summary: "list what is live, whose it is and who refers to it", load: () => import("./list.js") },
    unlock: {
      summary: "remove the account's lock that an apply left behind",
      load: () => import("./unlock.js"),
    },
    sandbox: {
      summary: "run a local server of the whole API, for tests and dry runs",
      load: () => import("./sandbox.js"),
    },
    serve: { summary: "reconcile a fleet file's stacks with Git", load: () => import("./serve.js") },
    approve: { summary: "approve what waits in a stack of edgewise serve", load: () => import("./approve.js") },
    completion: { summary: "print a shell completion script", load: () => import("./completion.js") },
    version: {
      summary: "print the version, the commit, Node and the platform",
      load: () => import("./show-version.js"),
    },
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
    for (const [name, { load, summary }] of Object.entries(commands)) {
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
