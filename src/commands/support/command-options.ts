import { Argument, Command, InvalidArgumentError, Option } from "commander";
import { type ConfigFlags, parseMaxDeletes } from "../../config/config.js";
import { type DurationForm, parseDuration } from "../../core/duration.js";
import { misuse } from "../../core/errors.js";
import { type Impact, impacts } from "../../kinds/impact.js";
import type { CiSystem } from "../../init/init-files.js";
import { type Address, addressExample, isAddress, kindNames, listedKinds } from "../../kinds/names.js";
import type { CommandIo, OutputFlags } from "./command-io.js";

export type RunCommand = <A extends readonly unknown[]>(
  start: (io: CommandIo, ...args: A) => Promise<number>,
) => (...args: A) => Promise<void>;

export type DefineCommand = (command: CommandLine, run: RunCommand) => unknown;

/** Of all commands; absent = not given. */
export type Flags = ConfigFlags &
  OutputFlags &
  Readonly<{
    adopt?: boolean;
    all?: boolean;
    allowEmpty?: boolean;
    allowInlineSecrets?: boolean;
    allowOrigin?: readonly string[] | undefined;
    approved?: string;
    as?: string;
    autoApprove?: boolean;
    base?: string;
    changedSince?: string | undefined;
    check?: boolean;
    ci?: CiSystem;
    compact?: boolean;
    concurrency?: number;
    data?: string;
    database?: string;
    /** Accepts a saved plan that deletes everything. */
    destroy?: boolean;
    detailedExitcode?: boolean;
    dryRun?: boolean;
    exclude?: readonly Address[];
    expiresWithin?: number;
    failOn?: Impact;
    fault?: readonly string[];
    fromTfstate?: string;
    grace?: number;
    journal?: string;
    key?: string;
    label?: readonly string[];
    latency?: number;
    lenient?: boolean;
    listen?: string;
    lock?: boolean;
    lockTimeout?: number;
    message?: string;
    moduleEndpoint?: readonly string[];
    offline?: boolean;
    once?: boolean;
    only?: readonly Address[];
    out?: string;
    outDir?: string;
    owned?: boolean;
    pageCache?: string;
    pageSize?: number;
    port?: number;
    prune?: boolean;
    ref?: string;
    remote?: string;
    server?: string;
    slug?: string;
    state?: string;
    status?: boolean;
    takeOver?: boolean;
    tokenFile?: string;
    unmanaged?: boolean;
    unowned?: boolean;
    upgrade?: boolean;
    vendor?: boolean;
    verify?: boolean;
  }>;

export const duration = durationParser(
  { units: ["m", "h", "d", "w"], maxDigits: 6 },
  "Use a number and a unit, like 30d, 12h or 2w.",
);

export const latency = durationParser(
  { units: ["ms", "s"], bareUnit: "ms", maxDigits: 6, range: { least: 0, most: 600_000 } },
  "Use a time like 50, 50ms or 2s, of at most 10 minutes.",
);

export const waitTime = durationParser(
  { units: ["ms", "s", "m", "h"], fractions: true, range: { least: 0, most: 24 * 3_600_000 } },
  "Use a number and a unit, like 30s or 10m; at most 24h.",
);

export const rareGroup = "Rarely needed:";

type Row = readonly [
  set: string,
  flags: string,
  description: string,
  value?: readonly string[] | ((value: string, previous: never) => unknown),
];

const shared: { readonly [group: string]: readonly Row[] } = {
  "Apply:": [
    ["apply", "-y, --auto-approve", "apply without asking"],
    ["apply", "--journal <file>", "append every operation's start and end to this file"],
    ["apply", "--no-verify", "don't plan again to verify the result"],
    ["apply", "--lock", "take the account's lock: one apply with it writes at a time"],
    ["apply", "--lock-timeout <duration>", "how long to wait for the lock, like 30s (default: 10m)", waitTime],
  ],
  "Saved plan:": [
    ["saved", "--approved <hash>", "the reviewed plan's hash; accepts its guard flags", planHash],
    ["saved", "--destroy", "accept a plan saved by `edgewise destroy --out`"],
  ],
  "Plan:": [
    [
      "plan",
      "--only <address>",
      "only this resource and its dependencies; prunes nothing (repeatable)",
      collectAddress,
    ],
    ["plan", "-l, --label <name=value>", "the same for manifests with this label (repeatable)", collectPair],
    ["exclude", "--exclude <address>", "leave out this and what can't be done without it (repeatable)", collectAddress],
    ["plan", "--no-prune", "keep owned resources that have no manifest"],
    ["plan", "--base <ref>", "compare with the merge base of this commit to show who changed what"],
    ["out", "--out <file>", "save the plan for `edgewise apply <file>`"],
  ],
  "Guards:": [
    ["guards", "--allow <address>", "lift the guards for this resource (repeatable)", collectAddress],
    ["guards", "--max-deletes <number>", "how many resources a plan may delete, like 5 or 25%", countOrPercent],
    ["plan", "--allow-empty", "accept that there are no manifests, and delete everything"],
    ["plan", "--take-over", "adopt resources that another stack owns"],
    ["plan", "--fail-on <impact>", "exit 2, and apply nothing, when the impact reaches this level", impacts.slice(1)],
    ["plan", "--detailed-exitcode", "exit of plan: 0: no changes, 2: changes, 4: refused"],
  ],
  "Output:": [
    ["format", "-o, --output <format>", "format of the result"],
    ["file", "--output-file <file>", "write the result to this file, which only you can read"],
    ["compact", "--compact", "show one line for each change, when the plan is text"],
    ["always", "--no-color", "disable colours"],
    ["always", "-q, --quiet", "show only errors on stderr"],
    ["always", "-v, --verbose", "show HTTP traffic on stderr, without keys and secrets"],
  ],
  "Configuration:": [
    ["config", "-c, --config <file>", "the configuration (default: edgewise.yaml here or above)"],
    ["config", "-e, --environment <name>", "the environment in the configuration to use"],
    ["config", "--stack <name>", "the stack that owns the resources"],
    ["all", "--all", "run for every stack that `edgewise stacks` lists; the worst exit code counts: 1, 3, 4, 2, 0"],
    ["all", "--changed-since <ref>", "with --all: only stacks that changed since the merge base with this commit"],
    ["origin", "--allow-origin <url>", "of many stacks: the API key may be sent to this origin (repeatable)", collect],
    [
      "manifests",
      "-f, --file <path>",
      "read these manifests, not those configured; never prunes (repeatable)",
      collect,
    ],
    ["manifests", "--var <name=value>", "set a variable for ${{ vars.NAME }} (repeatable)", collectPair],
    ["ref", "--ref <ref>", "read configuration, manifests and files from this commit"],
  ],
  "Service:": [
    ["service", "--base-url <url>", "the base URL of the API"],
    ["service", "--api-key-file <file>", "read the API key from this file instead of EDGEWISE_API_KEY"],
    ["concurrency", "--concurrency <number>", "how many requests run in parallel (default: 8)", wholeNumber(1, 100)],
  ],
  [rareGroup]: [
    ["versionHeader", "--version-header <name>", "the header that carries the API version"],
    ["service", "--allow-insecure-http", "allow plain http, which sends the API key unencrypted, to other hosts"],
    ["pages", "--page-cache <file>", "remember here where pages of lists are, to read them in parallel"],
    ["manifests", "--allow-inline-secrets", "accept secrets written in manifests"],
    ["always", "--log-format <format>", "format of the messages on stderr (default: text)", ["text", "json"]],
  ],
};

const implied: { readonly [set: string]: readonly string[] } = {
  all: ["config", "origin"],
  plan: ["exclude", "out", "guards"],
  service: ["versionHeader"],
};

export class CommandLine extends Command {
  override createCommand(name?: string): CommandLine {
    return new CommandLine(name);
  }

  /** @param formats the default first; empty = only one @param sets of options */
  shared(formats: readonly string[], sets = ""): this {
    const wanted = new Set(["always", ...sets.split(" ").flatMap((set) => [set, ...(implied[set] ?? [])])]);
    if (formats.length > 0) wanted.add("format").add("file");
    for (const [group, rows] of Object.entries(shared)) {
      this.optionsGroup(group);
      for (const [set, flags, description, value] of rows) {
        if (!wanted.has(set)) continue;
        const isFormat = set === "format";
        const option = new Option(flags, isFormat ? `${description} (default: ${formats[0]})` : description);
        if (typeof value === "function") option.argParser(value as (text: string) => unknown);
        else if (isFormat || value !== undefined) option.choices(value ?? formats);
        this.addOption(option);
      }
    }
    return this;
  }

  examples(lines: readonly (readonly [line: string, purpose: string])[]): this {
    const text = lines.map(([line, purpose]) => `  # ${purpose}\n  ${line}`).join("\n");
    return this.addHelpText("after", `\nExamples:\n${text}`);
  }
}

export function kindsArgument(description: string): Argument {
  return new Argument("[kind...]", description).choices(listedKinds);
}

export function schemaArgument(name: string, description: string): Argument {
  return new Argument(name, description).choices([...kindNames, "Config", "Fleet"]).argParser((value: string) => value);
}

export const planFormats = ["text", "json", "markdown", "html", "github", "gitlab"];

export const resultFormats = ["text", "json", "markdown"];

export function collect(value: string, previous: readonly string[] | undefined): readonly string[] {
  return [...(previous ?? []), value];
}

export function collectAddress(value: string, previous: readonly Address[] = []): readonly Address[] {
  if (isAddress(value)) return [...previous, value];
  throw new InvalidArgumentError(`An address is Kind/name, like ${addressExample}.`);
}

/** `name=value`; the value may be confidential, so no error quotes it. */
function collectPair(value: string, previous: readonly string[] | undefined): readonly string[] {
  if (/^[^=]+=(?!=)/u.test(value)) return collect(value, previous);
  throw misuse("--var and --label take NAME=VALUE", "Write a name, one = and the value.");
}

export function wholeNumber(least: number, most: number): (value: string) => number {
  return (value) => {
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };
}

function countOrPercent(value: string): string {
  if (parseMaxDeletes(value) !== null) return value;
  throw new InvalidArgumentError("Use a number like 5, or a percentage of what the stack owns like 25%.");
}

export function planHash(value: string): string {
  if (/^sha256:[0-9a-f]{64}$/.test(value)) return value;
  throw new InvalidArgumentError("Use sha256: and 64 hex digits, as `edgewise plan --out FILE` prints it.");
}

function durationParser(form: DurationForm, remedy: string): (value: string) => number {
  return (value) => {
    const ms = parseDuration(value, form);
    if (ms === null) throw new InvalidArgumentError(remedy);
    return ms;
  };
}
