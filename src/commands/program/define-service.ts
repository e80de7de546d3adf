import { Argument, type Command, Option } from "commander";
import { modulesWithoutEndpoint } from "../../generated/kind-names.js";
import type { ListedKind } from "../../kinds/names.js";
import type { ApproveFlags } from "../approve.js";
import type { ListFlags } from "../list.js";
import type { SandboxFlags } from "../sandbox.js";
import type { ServeFlags } from "../serve.js";
import type { CommonFlags, UnlockFlags } from "../support/flags.js";
import {
  type CommandGroup,
  type StartCommand,
  addApiOptions,
  addConcurrencyOption,
  addConfigOptions,
  addExamples,
  addOutputOptions,
  kindsArgument,
} from "./option-groups.js";
import { collect, latency, waitTime, wholeNumber } from "./parsers.js";

/** `ping`, `list`, `unlock`, `sandbox`, `serve`, `approve`, `completion` and `version`. */
export const serviceCommands: CommandGroup = {
  title: "Service and shell:",
  commands: {
    ping: definePing,
    list: defineList,
    unlock: defineUnlock,
    sandbox: defineSandbox,
    serve: defineServe,
    approve: defineApprove,
    completion: defineCompletion,
    version: defineVersion,
  },
};

function definePing(program: Command, go: StartCommand): void {
  const ping = program.command("ping").summary("check base URL, API key, version header and what can be read");
  ping.description(
    "Reads the first page of each collection to check that the service is reachable, accepts the API key and version header, and lets the key read everything.",
  );
  addOutputOptions(ping, ["text", "json"]);
  addApiOptions(addConfigOptions(ping));
  addExamples(ping, [["edgewise ping -e staging", "check an environment"]]);
  ping.action((flags: CommonFlags) => go(flags, async (io) => (await import("../ping.js")).pingCommand(flags, io)));
}

function defineList(program: Command, go: StartCommand): void {
  const list = program.command("list").summary("list what is live, whose it is and who refers to it");
  list.description(
    "Lists the live resources: address or id, owner, what identifies each, and what refers to it. Reads no manifests, and needs no stack.",
  );
  list.addArgument(kindsArgument("list only these kinds"));
  list
    .optionsGroup("List:")
    .addOption(new Option("--owned", "list only what this stack owns").conflicts("unowned"))
    .option("--unowned", "list only what no stack owns");
  addOutputOptions(list, ["text", "json"]);
  addConcurrencyOption(addApiOptions(addConfigOptions(list)));
  addExamples(list, [
    ["edgewise list", "everything that is live"],
    ["edgewise list --unowned", "what no stack owns"],
    ["edgewise list -o json", "for a script"],
  ]);
  list.action((named: readonly ListedKind[], flags: ListFlags) =>
    go(flags, async (io) => (await import("../list.js")).listCommand(named, flags, io)),
  );
}

function defineUnlock(program: Command, go: StartCommand): void {
  const unlock = program.command("unlock").summary("remove the account's lock that an apply left behind");
  unlock.description(
    "Shows whose the account's lock is and removes it, if it is this stack's or has expired. An apply removes its own lock; use this after one that was killed.",
  );
  unlock.optionsGroup("Unlock:").option("-y, --auto-approve", "remove it without asking");
  addOutputOptions(unlock, ["text"]);
  addApiOptions(addConfigOptions(unlock));
  addExamples(unlock, [["edgewise unlock -e staging", "after an apply of staging was killed"]]);
  unlock.action((flags: UnlockFlags) =>
    go(flags, async (io) => (await import("../unlock.js")).unlockCommand(flags, io)),
  );
}

function defineSandbox(program: Command, go: StartCommand): void {
  const sandbox = program.command("sandbox").summary("run a local server of the whole API, for tests and dry runs");
  sandbox.description("Runs a local server of the whole API. The first line of its output shows its URL and API key.");
  sandbox
    .optionsGroup("Sandbox:")
    .addOption(new Option("--port <number>", "the port (default: a free one)").argParser(wholeNumber(0, 65_535)))
    .option("--data <file>", "load the resources from this file, and save them there")
    .addOption(new Option("--page-size <number>", "resources per page of a list").argParser(wholeNumber(1, 100)))
    .addOption(
      new Option(
        "--latency <ms>",
        "delay each response by this time, in milliseconds or with a unit (50, 50ms, 2s)",
      ).argParser(latency),
    )
    .option("--fault <spec>", "inject a fault, like status=503,probability=0.1 (repeatable)", collect)
    .option("--version-header <name>", "the header that carries the API version")
    .option("--seed <text>", "make ids and the random choices of faults reproducible")
    .addOption(
      new Option("--module-endpoint <module>", "also serve this module of TLS edges at its own path (repeatable)")
        .choices(modulesWithoutEndpoint)
        .argParser(collect),
    )
    .option("--lenient", "also accept clients that deviate from the documented API")
    .addOption(
      new Option("--unset-text <how>", "how unset descriptions and metadata come back (default: empty)").choices([
        "empty",
        "null",
        "omitted",
      ]),
    )
    .addOption(
      new Option(
        "--unset-module <how>",
        "how unset modules are answered; empty: as {}, in their resources, too (default: 404)",
      ).choices(["404", "null", "204", "empty"]),
    )
    .addOption(
      new Option("--delete-unset <status>", "what DELETE of an unset module answers (default: 204)").choices([
        "204",
        "404",
      ]),
    )
    .option("--allow-dangling", "let backends be deleted although edges refer to them")
    .option("--one-restriction-per-type", "refuse a second IP restriction of a type");
  addOutputOptions(sandbox, ["text", "json"]);
  addExamples(sandbox, [
    ["edgewise sandbox --port 8080 --data world.json", "keep the resources between runs"],
    ["edgewise sandbox --latency 50", "as slow as a real service"],
  ]);
  sandbox.action((flags: SandboxFlags) =>
    go(flags, async (io) => (await import("../sandbox.js")).sandboxCommand(flags, io)),
  );
}

function defineServe(program: Command, go: StartCommand): void {
  const serve = program.command("serve").summary("keep the stacks of a fleet file as Git says");
  serve.description(
    "Follows repositories, looks at what is live, applies what the fleet file allows, and says what waits. Runs until SIGINT or SIGTERM; SIGHUP reads the fleet file again. Several with one --database share the work. Uses nothing of EDGEWISE_* but EDGEWISE_DATABASE.",
  );
  serve.addArgument(new Argument("<fleetfile>", "a YAML file that lists what to serve"));
  serve
    .optionsGroup("Serve:")
    .option("--state <dir>", "where the state is kept (default: .edgewise-state)")
    .option("--database <url>", "keep the state in this PostgreSQL, over EDGEWISE_DATABASE: postgres://USER@HOST/NAME")
    .option("--listen <host:port>", "where to serve HTTP, over the fleet file's")
    .addOption(
      new Option("--check", "check the fleet file, sources, accounts and stacks, and write nothing").conflicts("once"),
    )
    .option(
      "--once",
      "make one pass of everything, and exit 0: synced, 2: something waits, 3: failed (1 with --dry-run), 4: refused",
    )
    .addOption(
      new Option("--status", "print how the stacks are, as the database has it, and end").conflicts([
        "check",
        "once",
        "dryRun",
      ]),
    )
    .option("--dry-run", "decide and say, but write nothing to the service")
    .addOption(
      new Option("--grace <duration>", "how long a stop may take, like 30s (default: 30s)").argParser(waitTime),
    );
  addOutputOptions(serve, ["text", "json"], "also show each look and each fetch on stderr");
  addExamples(serve, [
    ["edgewise serve fleet.yaml --check", "before the first start"],
    ["edgewise serve fleet.yaml --log-format json", "as a service"],
    ["edgewise serve fleet.yaml --once --dry-run -o json", "what it would do, for a script"],
    ["edgewise serve fleet.yaml --database postgres://edgewise@db/edgewise", "one of several, on one database"],
  ]);
  serve.action((file: string, flags: ServeFlags) =>
    go(flags, async (io) => (await import("../serve.js")).serveCommand(file, flags, io)),
  );
}

function defineApprove(program: Command, go: StartCommand): void {
  const approve = program.command("approve").summary("approve what waits in a stack of edgewise serve");
  approve.description(
    "Shows the plan of a stack that an edgewise serve keeps, checks that its digest names what waits in it, asks, makes the signed tag in the repository here, and pushes it. Needs a key for git's ssh signatures.",
  );
  approve.addArgument(new Argument("<stack>", "the name of the stack in the fleet"));
  approve
    .optionsGroup("Approve:")
    .requiredOption("--server <url>", "where edgewise serve listens")
    .option("--token-file <file>", "read the server's token from this file")
    .option("--as <principal>", "your name in the file of approvers (default: git's user.email)")
    .option("-m, --message <text>", "why, for the history")
    .option("--key <file>", "the key to sign with (default: git's user.signingKey)")
    .option("--remote <name>", "the remote to push the tag to (default: origin)")
    .option("--print", "show the plan and the commands of git, and run none of them")
    .option("-y, --auto-approve", "approve without asking");
  addOutputOptions(approve);
  addExamples(approve, [
    ["edgewise approve prod --server http://127.0.0.1:7070", "in a clone of the stack's source"],
    ["edgewise approve prod --server https://serve.example.com --token-file token --print", "only show how"],
  ]);
  approve.action((stack: string, flags: ApproveFlags) =>
    go(flags, async (io) => (await import("../approve.js")).approveCommand(stack, flags, io)),
  );
}

function defineCompletion(program: Command, go: StartCommand): void {
  const completion = program.command("completion").summary("print a shell completion script");
  completion.description(
    "Prints a script that completes commands, flags and formats. It holds everything that it offers: it runs nothing and contacts nothing.",
  );
  completion.addArgument(new Argument("<shell>", "the shell that you use").choices(["bash", "zsh", "fish"]));
  addExamples(completion, [
    ["source <(edgewise completion bash)", "in ~/.bashrc"],
    ["source <(edgewise completion zsh)", "in ~/.zshrc, after compinit"],
    ["edgewise completion fish > ~/.config/fish/completions/edgewise.fish", "for fish"],
  ]);
  completion.action((shell: string) =>
    go({}, async (io) => (await import("../completion.js")).completionCommand(shell, io)),
  );
}

function defineVersion(program: Command, go: StartCommand): void {
  const versions = program.command("version").summary("print the version, the commit, Node and the platform");
  versions.description(
    "Prints the version of edgewise, the commit that it was built from, and the Node and the platform that run it.",
  );
  addOutputOptions(versions, ["text", "json"]);
  addExamples(versions, [["edgewise version -o json", "for a bug report"]]);
  versions.action((flags: CommonFlags) =>
    go(flags, async (io) => (await import("../show-version.js")).versionCommand(flags, io)),
  );
}
