import { Argument, type Command, Option } from "commander";
import { modulesWithoutEndpoint } from "../../generated/kind-names.js";
import type { SandboxFlags } from "../sandbox.js";
import type { CommonFlags } from "../support/flags.js";
import { type StartCommand, addApiOptions, addConfigOptions, addExamples, addOutputOptions } from "./option-groups.js";
import { collect, latency, wholeNumber } from "./parsers.js";

/** `ping`, `sandbox` and `completion`. */
export function defineService(program: Command, go: StartCommand): void {
  program.commandsGroup("Service and shell:");

  const ping = program.command("ping").summary("check address, key and version header");
  ping.description("Checks with one read that the service is there, takes the key and knows the version header.");
  addOutputOptions(ping, ["text", "json"]);
  addApiOptions(addConfigOptions(ping));
  addExamples(ping, [["edgewise ping -e staging", "before anything else"]]);
  ping.action((flags: CommonFlags) => go(flags, async (io) => (await import("../ping.js")).pingCommand(flags, io)));

  const sandbox = program.command("sandbox").summary("serve the whole API here, for tests and dry-runs");
  sandbox.description("A local server of the whole API. Its first line says where it is and what its key is.");
  sandbox
    .optionsGroup("Sandbox:")
    .addOption(new Option("--port <number>", "the port (default: a free one)").argParser(wholeNumber(0, 65_535)))
    .option("--data <file>", "start from this world, and keep it there")
    .addOption(new Option("--page-size <number>", "resources on a page of a list").argParser(wholeNumber(1, 100)))
    .addOption(
      new Option("--latency <ms>", "wait so many milliseconds before each answer (50, 50ms, 2s)").argParser(latency),
    )
    .option("--fault <spec>", "misbehave now and then (repeatable)", collect)
    .option("--version-header <name>", "the header that carries the API's version")
    .option("--seed <text>", "make the same ids, and throw the same dice for faults, again")
    .addOption(
      new Option("--module-endpoint <module>", "serve this module of TLS edges at a path of its own, too (repeatable)")
        .choices(modulesWithoutEndpoint)
        .argParser(collect),
    )
    .option("--lenient", "serve other published clients, too, where they depart from the specification");
  addOutputOptions(sandbox, ["text", "json"]);
  addExamples(sandbox, [
    ["edgewise sandbox --port 8080 --data world.json", "keep the world between runs"],
    ["edgewise sandbox --latency 50", "as slow as a real service"],
  ]);
  sandbox.action((flags: SandboxFlags) =>
    go(flags, async (io) => (await import("../sandbox.js")).sandboxCommand(flags, io)),
  );

  const completion = program.command("completion").summary("print a completion script for the shell");
  completion.description("Prints a script that completes commands, flags and their values.");
  completion.addArgument(new Argument("<shell>", "which shell").choices(["bash", "zsh", "fish"]));
  addExamples(completion, [
    ["source <(edgewise completion bash)", "in ~/.bashrc"],
    ["edgewise completion fish > ~/.config/fish/completions/edgewise.fish", "for fish"],
  ]);
  completion.action((shell: string) =>
    go({}, async (io) => (await import("../completion.js")).completionCommand(shell, program, io)),
  );
}
