import { isObject } from "../json.js";
import { kindNames, kindOf } from "../kinds/names.js";
import { count } from "../text/layout.js";
import { type Candidate, type Completion, candidates } from "./candidate.js";
import type { DescribedCommand, DescribedOption, ReadCommandLine } from "./command-line.js";
import { type PathSort, pathNames } from "./path-names.js";
import { refusalsIn } from "./plan-refusals.js";
import {
  type NamedManifest,
  type ProjectConfig,
  type ProjectInput,
  entriesOf,
  readNamedManifests,
  readProjectConfig,
  textsOf,
} from "./read-project.js";
import { refNames } from "./ref-names.js";
import type { ScanBudget } from "./scan-budget.js";
import type { CurrentWord } from "./shell-words.js";

/** A word to complete, and where it stands. */
export interface CompleteInput {
  readonly command: DescribedCommand;
  readonly line: ReadCommandLine;
  readonly current: CurrentWord;
  /** Absolute. */
  readonly cwd: string;
  readonly env: ProjectInput["env"];
  readonly budget: ScanBudget;
}

/** So many addresses are offered at once. More are offered kind by kind, like files directory by directory. */
const mostAddresses = 200;

/** What gives the values of a flag or an argument. The word has nothing before the value. */
type Source = (input: CompleteInput, word: string) => Promise<readonly Candidate[] | "files"> | "files";

/** What is offered for the word at the cursor. It reads files, but contacts nothing and runs nothing. */
export async function completeWord(input: CompleteInput): Promise<Completion> {
  const { command, current, line } = input;
  const { at } = line;
  if (at.sort === "nothing") return at;
  if (at.sort === "flag") return { sort: "values", skip: 0, values: flagCandidates(line, command, current.text) };
  const skip = at.sort === "value" ? at.skip : 0;
  const choices = at.sort === "value" ? at.option.choices : at.argument.choices;
  const source = at.sort === "value" ? sourceOfFlag(at.option) : sources[`${command.name} ${at.argument.name}`];
  if (source === undefined) {
    if (choices.length === 0) return { sort: "nothing" };
    const areKinds = choices.every((choice) => kindNames.some((kind) => kind === choice));
    const values = areKinds
      ? await (await import("./field-names.js")).schemaCandidates(choices)
      : candidates(choices.map((choice) => [choice, ""]));
    return { sort: "values", skip, values };
  }
  const values = await source(input, current.text.slice(skip));
  return values === "files" ? { sort: "files", skip } : { sort: "values", skip, values };
}

/** Flags that may still be given. Short ones only for a single dash: they are no shorter to complete than to type. */
function flagCandidates({ given }: ReadCommandLine, { options }: DescribedCommand, word: string): readonly Candidate[] {
  const help: DescribedOption = {
    long: "--help",
    short: "-h",
    description: "show help",
    value: null,
    choices: [],
    repeatable: true,
  };
  return [...options, help]
    .filter(({ long, repeatable }) => repeatable || !given.has(long))
    .flatMap(({ long, short, description }): readonly Candidate[] => {
      const names = short !== null && /^-[^-]?$/u.test(word) ? [long, short] : [long];
      return names.map((value) => ({ value, description, flag: true }));
    });
}

function sourceOfFlag({ choices, long, value }: DescribedOption): Source | undefined {
  return choices.length > 0 ? undefined : (sources[long] ?? sources[`<${value ?? ""}>`]);
}

/** By flag, by what the value of a flag is, or by command and argument. Anything else has no values to offer. */
const sources: { readonly [of: string]: Source | undefined } = {
  "--allow": async (input, word) => addresses(input, word, "--allow"),
  "--only": async (input, word) => addresses(input, word, "--only"),
  "pull address": async (input, word) => addresses(input, word, null),
  "--environment": async (input) => environments(projectOf(input).config),
  "--stack": async (input) => stacks(projectOf(input).config),
  "--var": async (input) => variables(projectOf(input).config),
  "--label": labels,
  "<ref>": async ({ budget, cwd }) => refNames(cwd, budget),
  "--config": paths("configs"),
  "--file": paths("manifests"),
  "<dir>": paths("directories"),
  "<file>": () => "files",
  "apply planfile": paths("plans"),
  "show planfile": paths("plans"),
  "serve fleetfile": paths("fleets"),
  "validate path": paths("manifests"),
  "init dir": paths("directories"),
  "explain path": async (_, word) => (await import("./field-names.js")).fieldCandidates(word),
  "schema kind": async () => (await import("./field-names.js")).schemaCandidates(),
};

function projectOf({ budget, cwd, env, line }: CompleteInput): {
  readonly input: ProjectInput;
  readonly config: ProjectConfig;
} {
  const input: ProjectInput = { cwd, env, budget, given: line.given };
  return { input, config: readProjectConfig(input) };
}

/** What the shell replaces before the program sees it is left to the shell. */
function paths(sort: PathSort): Source {
  return async ({ budget, current, cwd }, word) => (current.expands ? "files" : pathNames(sort, word, cwd, budget));
}

/**
 * The addresses of manifests, but for those that the line has already. Guards are also lifted for what is no longer in a
 * manifest: what the saved plan on the line refuses is offered first, and what the configuration names, too.
 * @param flag null = they are arguments
 */
async function addresses(completing: CompleteInput, word: string, flag: "--allow" | "--only" | null) {
  const { input, config } = projectOf(completing);
  const manifests = await readNamedManifests(input, config, word);
  const found = new Map<string, string>();
  if (flag === "--allow") {
    const [plan] = completing.command.name === "apply" ? completing.line.arguments : [];
    if (plan !== undefined) for (const [address, code] of refusalsIn(plan, input.cwd)) found.set(address, code);
  }
  for (const { address, place } of manifests) if (!found.has(address)) found.set(address, place);
  if (flag === "--allow") {
    const guards = config.member("guards");
    const allowed = textsOf(isObject(guards) ? guards["allow"] : null);
    const adopted = entriesOf(config.member("adopt")).map(([address]) => address);
    for (const address of [...allowed, ...adopted]) if (!found.has(address)) found.set(address, "in the configuration");
  }
  const used = flag === null ? completing.line.arguments : (completing.line.given.get(flag) ?? []);
  for (const address of used) found.delete(address);
  return word.includes("/") || found.size <= mostAddresses ? candidates(found) : kindsOf(manifests);
}

function kindsOf(manifests: readonly NamedManifest[]): readonly Candidate[] {
  const counts = new Map<string, number>();
  for (const { address } of manifests) counts.set(kindOf(address), (counts.get(kindOf(address)) ?? 0) + 1);
  return Array.from(counts, ([kind, number]) => ({
    value: `${kind}/`,
    description: count(number, "manifest"),
    open: true,
  }));
}

function environments({ environments: all }: ProjectConfig): readonly Candidate[] {
  return candidates(
    Array.from(all, ([name, members]): [string, string] => {
      const stack = isObject(members) ? members["stack"] : undefined;
      return [name, typeof stack === "string" ? `stack ${stack}` : ""];
    }),
  );
}

/** The stacks of a configuration and of its environments. */
function stacks({ environments: all, stack }: ProjectConfig): readonly Candidate[] {
  const found = new Map<string, string>();
  const add = (name: unknown, description: string): void => {
    if (typeof name === "string" && !found.has(name)) found.set(name, description);
  };
  add(stack, "of the configuration");
  for (const [name, members] of all) if (isObject(members)) add(members["stack"], `of the environment ${name}`);
  return candidates(found);
}

/** Their values are not shown: they may be confidential. */
function variables(config: ProjectConfig): readonly Candidate[] {
  return entriesOf(config.member("variables")).flatMap(([name]) =>
    name === "" ? [] : [{ value: `${name}=`, description: "variable", open: true }],
  );
}

/** The names of labels, and then the values of the one that was chosen. */
async function labels(completing: CompleteInput, word: string): Promise<readonly Candidate[]> {
  const { input, config } = projectOf(completing);
  const equals = word.indexOf("=");
  const counts = new Map<string, number>();
  for (const manifest of await readNamedManifests(input, config)) {
    for (const [name, value] of manifest.labels) {
      // Before the first `=` is the name: one that is empty or has a `=` can't be selected.
      if (name === "" || name.includes("=")) continue;
      const offered = equals === -1 ? `${name}=` : `${name}=${value}`;
      if (equals === -1 || name === word.slice(0, equals)) counts.set(offered, (counts.get(offered) ?? 0) + 1);
    }
  }
  return Array.from(counts, ([value, number]) => ({
    value,
    description: count(number, "manifest"),
    ...(equals === -1 ? { open: true } : {}),
  }));
}
