import { Argument, type Command, Option } from "commander";
import type { ConfigFlags } from "../../config/config.js";
import { type Impact, impacts } from "../../kinds/impact.js";
import { kindNames, listedKinds } from "../../kinds/names.js";
import type { CommandIo, OutputFlags } from "./command-io.js";
import {
  collect,
  collectAddress,
  collectKind,
  collectOnly,
  collectPair,
  countOrPercent,
  planHash,
  waitTime,
  wholeNumber,
} from "./parsers.js";

/** Makes an action of a function that gets the Io, the arguments, and the flags last. */
export type RunCommand = <A extends readonly unknown[]>(
  start: (io: CommandIo, ...args: A) => Promise<number>,
) => (...args: A) => Promise<void>;

/** What each command's file exports as `define`. */
export type DefineCommand = (command: Command, run: RunCommand) => void;

/** Flags as they were parsed; absent = not given. */
export interface CommonFlags extends ConfigFlags, OutputFlags {
  readonly allowInlineSecrets?: boolean;
  /** The commit whose configuration and manifests are read, instead of those on disk. */
  readonly ref?: string;
  readonly concurrency?: number;
  readonly pageCache?: string;
}

export interface AllFlags {
  readonly all?: boolean;
  readonly changedSince?: string | undefined;
  readonly allowOrigin?: readonly string[] | undefined;
}

export interface PlanFlags extends CommonFlags {
  readonly only?: readonly string[];
  readonly exclude?: readonly string[];
  /** `name=value`; a manifest must have all of them. */
  readonly label?: readonly string[];
  /** False with `--no-prune`. */
  readonly prune?: boolean;
  readonly base?: string;
  readonly offline?: boolean;
  readonly out?: string;
  readonly compact?: boolean;
  readonly allowEmpty?: boolean;
  readonly takeOver?: boolean;
  readonly failOn?: Impact;
  readonly detailedExitcode?: boolean;
}

export interface ApplyFlags extends PlanFlags {
  readonly autoApprove?: boolean;
  readonly journal?: string;
  /** False with `--no-verify`. */
  readonly verify?: boolean;
  readonly lock?: boolean;
  /** Milliseconds. */
  readonly lockTimeout?: number;
  readonly approved?: string;
  /** Accepts a saved plan that deletes everything. */
  readonly destroy?: boolean;
}

export const rareGroup = "Rarely needed:";

type SharedOptions = "file" | "compact" | "config" | "all" | "manifests" | "ref" | "service" | "concurrency" | "pages";

/** @param formats the command's formats, its default first; empty = the result has one */
export function addSharedOptions(
  command: Command,
  formats: readonly string[],
  ...shared: readonly SharedOptions[]
): Command {
  const has = (one: SharedOptions): boolean => shared.includes(one);
  command.optionsGroup("Output:");
  const [first] = formats;
  if (first !== undefined)
    command.addOption(new Option("-o, --output <format>", `format of the result (default: ${first})`).choices(formats));
  if (first !== undefined || has("file"))
    command.option("--output-file <file>", "write the result to this file, readable only by you, instead of stdout");
  if (has("compact")) command.option("--compact", "show one line for each change, when the plan is text");
  command
    .option("--no-color", "disable colours")
    .option("-q, --quiet", "show only errors on stderr")
    .option(
      "-v, --verbose",
      has("service") ? "show HTTP traffic on stderr, without keys and secrets" : "show more of what is done on stderr",
    );
  command.optionsGroup("Configuration:");
  if (has("config") || has("all"))
    command
      .option("-c, --config <file>", "the configuration file (default: edgewise.yaml here or in a parent directory)")
      .option("-e, --environment <name>", "the environment in the configuration to use")
      .option("--stack <name>", "the stack that owns the resources");
  if (has("all")) {
    command
      .option("--all", "run for every stack that `edgewise stacks` lists, and exit with the worst code: 1, 3, 4, 2, 0")
      .option(
        "--changed-since <ref>",
        "with --all: only for stacks that changed since the merge base with this commit",
      );
    addOriginOption(command, "with --all: ");
  }
  if (has("manifests"))
    command
      .option(
        "-f, --file <path>",
        "read these manifests instead of those in the configuration; never prunes (repeatable)",
        collect,
      )
      .option("--var <name=value>", "set a variable for ${{ vars.NAME }} (repeatable)", collectPair);
  if (has("ref"))
    command.option("--ref <ref>", "read configuration, manifests and files from this commit in Git, not from the disk");
  command.optionsGroup("Service:");
  if (has("service"))
    command
      .option("--base-url <url>", "the base URL of the API")
      .option("--api-key-file <file>", "read the API key from this file instead of EDGEWISE_API_KEY");
  if (has("concurrency"))
    command.option("--concurrency <number>", "how many requests run in parallel (default: 8)", wholeNumber(1, 100));
  command.optionsGroup(rareGroup);
  if (has("service"))
    addVersionHeaderOption(command).option(
      "--allow-insecure-http",
      "allow plain http to other hosts, which sends the API key unencrypted",
    );
  if (has("pages"))
    command.option(
      "--page-cache <file>",
      "remember in this file where the pages of lists are, to request them in parallel next time",
    );
  if (has("manifests")) command.option("--allow-inline-secrets", "accept secrets written in manifests");
  return command.addOption(
    new Option("--log-format <format>", "format of the messages on stderr (default: text)").choices(["text", "json"]),
  );
}

export function addOriginOption(command: Command, when = ""): Command {
  return command.option(
    "--allow-origin <url>",
    `${when}the API key may be sent to this origin, when the stacks have several (repeatable)`,
    collect,
  );
}

export function addVersionHeaderOption(command: Command): Command {
  return command.option("--version-header <name>", "the header that carries the API version");
}

export const excludeOption = [
  "--exclude <address>",
  "leave out this resource and what can't be done without it, deletes included (repeatable)",
  collectOnly,
] as const;

export function addPlanOptions(command: Command): Command {
  command
    .optionsGroup("Plan:")
    .option(
      "--only <address>",
      "plan only this resource and its dependencies, and prune nothing (repeatable)",
      collectOnly,
    )
    .option(...excludeOption)
    .option(
      "-l, --label <name=value>",
      "plan only manifests with this label and their dependencies, and prune nothing (repeatable)",
      collectPair,
    )
    .option("--no-prune", "keep owned resources that have no manifest")
    .option("--base <ref>", "compare with the merge base of this commit to show who changed what")
    .option("--out <file>", "save the plan for `edgewise apply <file>`");
  return addGuardOptions(command)
    .option("--allow-empty", "accept that there are no manifests, and delete everything")
    .option("--take-over", "adopt resources that another stack owns");
}

export function addGuardOptions(command: Command): Command {
  return command
    .optionsGroup("Guards:")
    .option("--allow <address>", "lift the guards for this resource (repeatable)", collectAddress)
    .option("--max-deletes <number>", "how many resources a plan may delete, like 5 or 25%", countOrPercent);
}

/** @param applies whether the command applies the plan: then the exit code describes the outcome */
export function addExitCodeOptions(command: Command, applies: boolean): Command {
  const stop = applies ? "exit 2 without applying" : "exit 2";
  return command
    .optionsGroup("Guards:")
    .addOption(
      new Option("--fail-on <impact>", `${stop} when the plan's impact reaches this level`).choices(impacts.slice(1)),
    )
    .addOption(new Option("--detailed-exitcode", "exit 0: no changes, 2: changes, 4: refused").hideHelp(applies));
}

export function addApplyOptions(command: Command): Command {
  return command
    .optionsGroup("Apply:")
    .option("-y, --auto-approve", "apply without asking")
    .option("--journal <file>", "append every operation's start and end to this file")
    .option("--no-verify", "don't list and plan again afterwards to verify the result")
    .option("--lock", "take the account's lock, so that no other apply that does writes at the same time")
    .option("--lock-timeout <duration>", "how long to wait for the account's lock, like 30s (default: 10m)", waitTime);
}

export function addSavedPlanOptions(command: Command): Command {
  return command
    .optionsGroup("Saved plan:")
    .option(
      "--approved <hash>",
      "hash of the reviewed plan; also accepts the guard flags that it was made with",
      planHash,
    )
    .option("--destroy", "accept a plan saved by `edgewise destroy --out`");
}

export function kindsArgument(description: string): Argument {
  return new Argument("[kind...]", description).choices(listedKinds).argParser(collectKind);
}

/** Any schema; the shell completes kinds. */
export function schemaArgument(name: string, description: string): Argument {
  return new Argument(name, description).choices([...kindNames, "Config", "Fleet"]).argParser((value: string) => value);
}

export const planFormats = ["text", "json", "markdown", "html", "github", "gitlab"];

export const resultFormats = ["text", "json", "markdown"];

export function addExamples(command: Command, lines: readonly (readonly [line: string, purpose: string])[]): void {
  const text = lines.map(([line, purpose]) => `  # ${purpose}\n  ${line}`).join("\n");
  command.addHelpText("after", `\nExamples:\n${text}`);
}
