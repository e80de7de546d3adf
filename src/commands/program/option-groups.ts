import { type Command, Option } from "commander";
import { impacts } from "../../kinds/impact.js";
import type { GuardedIo } from "../support/io.js";
import { collect, collectAddress, collectPair, countOrPercent, planHash, wholeNumber } from "./parsers.js";

/** Which configuration and manifests a command reads. */
export function addConfigOptions(command: Command): Command {
  return command
    .optionsGroup("Configuration:")
    .option("-c, --config <file>", "the configuration (default: edgewise.yaml, looked for from here upward)")
    .option("-e, --environment <name>", "the environment of the configuration to use")
    .option("--stack <name>", "the stack that owns the resources");
}

/** What only commands that read manifests take. */
export function addManifestOptions(command: Command): Command {
  return command
    .optionsGroup("Configuration:")
    .option(
      "-f, --file <path>",
      "read these manifests instead of the configuration's; never prunes (repeatable)",
      collect,
    )
    .option("--var <name=value>", "a variable for ${{ vars.NAME }} (repeatable)", collectPair)
    .option("--allow-inline-secrets", "accept secrets written into manifests");
}

/** Where the service is, and how it is talked to. */
export function addApiOptions(command: Command): Command {
  return command
    .optionsGroup("Service:")
    .option("--base-url <url>", "where the API is")
    .option("--version-header <name>", "the header that carries the API's version")
    .option("--api-key-file <file>", "read the API key from this file instead of EDGEWISE_API_KEY")
    .option("--allow-insecure-http", "send the API key over plain http to hosts other than this one");
}

/**
 * How and where the result goes.
 * @param formats the command's formats, its default first; none = the command has no result in several formats
 */
export function addOutputOptions(command: Command, formats: readonly string[] = []): Command {
  command.optionsGroup("Output:");
  const [first] = formats;
  if (first !== undefined) {
    command.addOption(new Option("-o, --output <format>", `format of the result (default: ${first})`).choices(formats));
    command.option("--output-file <file>", "write the result to this file, readable by you only, instead of stdout");
  }
  return command
    .option("--no-color", "no colours")
    .option("-q, --quiet", "errors only on stderr")
    .option("-v, --verbose", "show the HTTP traffic on stderr, without keys and secrets")
    .addOption(
      new Option("--log-format <format>", "format of what goes to stderr (default: text)").choices(["text", "json"]),
    );
}

/** What a plan covers, and which guards are lifted. */
export function addPlanOptions(command: Command): Command {
  command
    .optionsGroup("Plan:")
    .option("--only <address>", "plan this resource alone, and prune nothing (repeatable)", collectAddress)
    .option(
      "-l, --label <name=value>",
      "plan the manifests with this label alone, and prune nothing (repeatable)",
      collectPair,
    )
    .option("--no-prune", "leave resources that no manifest describes")
    .option("--base <ref>", "tell by the manifests at the merge base with this commit who changed what")
    .option("--out <file>", "save the plan for `edgewise apply <file>`");
  return addGuardOptions(command)
    .optionsGroup("Guards:")
    .option("--allow-empty", "accept that no manifests are left, and delete everything")
    .option("--take-over", "adopt resources that another stack owns");
}

/**
 * What the exit code says of a plan.
 * @param applies whether the command goes on to apply the plan: then its exit code tells what it did
 */
export function addVerdictOptions(command: Command, applies: boolean): Command {
  const stop = applies ? "don't apply, and exit 2," : "exit 2";
  return command
    .optionsGroup("Guards:")
    .addOption(
      new Option("--fail-on <impact>", `${stop} when the plan can do this to traffic, or worse`).choices(
        impacts.slice(1),
      ),
    )
    .addOption(new Option("--detailed-exitcode", "exit 0: no changes, 2: changes, 4: refused").hideHelp(applies));
}

/** The guards that every plan has. */
export function addGuardOptions(command: Command): Command {
  return command
    .optionsGroup("Guards:")
    .option("--allow <address>", "lift the guards of this resource (repeatable)", collectAddress)
    .option("--max-deletes <number>", "how many deletes a plan may have: 5, or 25%", countOrPercent);
}

/** How much runs side by side. */
export function addConcurrencyOption(command: Command): Command {
  return command
    .optionsGroup("Service:")
    .option("--concurrency <number>", "how many requests run side by side (default: 8)", wholeNumber(1, 100));
}

/** What of a saved plan counts. */
export function addSavedPlanOptions(command: Command): Command {
  return command
    .optionsGroup("Saved plan:")
    .option("--approved <hash>", "hash of the reviewed plan: the flags that loosened its guards then count", planHash)
    .option("--destroy", "accept a saved plan that `edgewise destroy --out` made");
}

/** How a plan is carried out. */
export function addApplyOptions(command: Command): Command {
  return command
    .optionsGroup("Apply:")
    .option("-y, --auto-approve", "don't ask")
    .option("--journal <file>", "append every operation's start and end to this file")
    .option("--no-verify", "don't list and plan again afterwards")
    .option("--fail-fast", "start nothing more after the first failure");
}

/** Adds examples to a command's help: each a command line and what it is for. */
export function addExamples(command: Command, lines: readonly (readonly [line: string, purpose: string])[]): void {
  const text = lines.map(([line, purpose]) => `  # ${purpose}\n  ${line}`).join("\n");
  command.addHelpText("after", `\nExamples:\n${text}`);
}

/** Runs a command once its flags are parsed: `start` imports and calls it with the Io that the flags ask for. */
export type StartCommand = (flags: object, start: (io: GuardedIo) => Promise<number>) => Promise<void>;
