import { Argument, type Command, Option } from "commander";
import { kindNames } from "../../kinds/names.js";
import type { ExportFlags } from "../export.js";
import type { InitFlags } from "../init.js";
import type { SchemaFlags } from "../schema.js";
import type { CommonFlags, StacksFlags } from "../support/flags.js";
import {
  type CommandGroup,
  type StartCommand,
  addApiOptions,
  addConcurrencyOption,
  addConfigOptions,
  addExamples,
  addManifestOptions,
  addOutputFileOption,
  addOutputOptions,
  addPageCacheOption,
  addRefOption,
  kindsArgument,
} from "./option-groups.js";

/** `init`, `validate`, `policy`, `graph`, `stacks`, `export`, `schema` and `explain`. */
export const authoringCommands: CommandGroup = {
  title: "Write manifests:",
  commands: {
    init: defineInit,
    validate: defineValidate,
    policy: definePolicy,
    graph: defineGraph,
    stacks: defineStacks,
    export: defineExport,
    schema: defineSchema,
    explain: defineExplain,
  },
};

function defineInit(program: Command, go: StartCommand): void {
  const init = program
    .command("init")
    .summary("set up a repository")
    .argument("[dir]", "the directory (default: the current one)");
  init.description(
    "Writes a configuration, a first manifest, CI workflows, schemas for editors, and the program itself as .edgewise/edgewise.mjs, with its checksum. Never overwrites files.",
  );
  init.optionsGroup("Configuration:").option("--stack <name>", "the stack's name (default: the directory's name)");
  init
    .optionsGroup("Pipelines:")
    .addOption(
      new Option("--ci <system>", "write pipelines for it (default: github)").choices(["github", "gitlab", "none"]),
    );
  init
    .optionsGroup("Program:")
    .option("--no-vendor", "leave the program out; the workflows must then get it from elsewhere")
    .option(
      "--upgrade",
      "replace the program in the repository by the one that runs, renew the schemas for editors, and touch nothing else",
    );
  addOutputOptions(init);
  addExamples(init, [
    ["edgewise init edge-config", "then: cd edge-config && edgewise validate"],
    ["edgewise init --upgrade", "after you installed a newer edgewise"],
  ]);
  init.action((dir: string | undefined, flags: InitFlags) =>
    go(flags, async (io) => (await import("../init.js")).initCommand(dir, flags, io)),
  );
}

function defineValidate(program: Command, go: StartCommand): void {
  const validate = program
    .command("validate")
    .summary("check the manifests offline")
    .argument("[path...]", "check these manifests instead of those in the configuration, like -f");
  validate.description(
    "Checks the configuration and manifests without contacting the service, and shows where each problem is. Exits 1 when there is an error.",
  );
  addOutputOptions(validate, ["text", "json", "github", "sarif", "gitlab"]);
  addApiOptions(addRefOption(addManifestOptions(addConfigOptions(validate))));
  addExamples(validate, [
    ["edgewise validate", "everything that the configuration names"],
    ["edgewise validate edge/api.yaml", "one file, while editing it"],
    ["edgewise validate --ref v1.4", "a commit, before rolling back to it"],
    ["edgewise validate -o github", "annotate a pull request"],
    ["edgewise validate -o gitlab --output-file gl-code-quality.json", "for GitLab's code quality report"],
  ]);
  validate.action((paths: readonly string[], flags: CommonFlags) => {
    const all = paths.length === 0 ? flags : { ...flags, file: [...(flags.file ?? []), ...paths] };
    return go(all, async (io) => (await import("../validate.js")).validateCommand(all, io));
  });
}

function definePolicy(program: Command, go: StartCommand): void {
  const policy = program
    .command("policy")
    .summary("test the policies of the configuration")
    .addArgument(new Argument("<action>", "what to do").choices(["test"]));
  policy.description(
    "Runs the tests of the configuration's policies: what each of them makes of saved plans. Works offline. Exits 1 when a test fails.",
  );
  addOutputOptions(policy, ["text", "json"]);
  addConfigOptions(policy);
  addExamples(policy, [
    ["edgewise policy test", "the policies that hold for every environment"],
    ["edgewise policy test -e prod", "those of an environment, too"],
  ]);
  policy.action((_action: string, flags: CommonFlags) =>
    go(flags, async (io) => (await import("../policy.js")).policyCommand(flags, io)),
  );
}

function defineGraph(program: Command, go: StartCommand): void {
  const graph = program.command("graph").summary("show the dependencies between manifests");
  graph.description("Shows the dependency graph of the manifests. Works offline.");
  addOutputOptions(graph, ["mermaid", "json"]);
  addApiOptions(addRefOption(addManifestOptions(addConfigOptions(graph))));
  addExamples(graph, [["edgewise graph --output-file graph.mmd", "as a Mermaid flowchart"]]);
  graph.action((flags: CommonFlags) => go(flags, async (io) => (await import("../graph.js")).graphCommand(flags, io)));
}

function defineStacks(program: Command, go: StartCommand): void {
  const stacks = program.command("stacks").summary("list the configurations and environments below this directory");
  stacks.description(
    "Lists every configuration (edgewise.yaml) and environment below the working directory. Works offline. The JSON is one line, made for the matrix of a pipeline.",
  );
  stacks
    .optionsGroup("Stacks:")
    .option(
      "--changed-since <ref>",
      "only those whose configuration, manifests or contents changed since the merge base with this commit",
    );
  addOutputOptions(stacks, ["text", "json"]);
  addExamples(stacks, [
    ["edgewise stacks", "all stacks, with the flags that select them"],
    ["edgewise stacks --changed-since origin/main -o json", "those that a pull request touches, for a matrix"],
  ]);
  stacks.action((flags: StacksFlags) =>
    go(flags, async (io) => (await import("../stacks.js")).stacksCommand(flags, io)),
  );
}

function defineExport(program: Command, go: StartCommand): void {
  const exporting = program.command("export").summary("write manifests for live resources");
  exporting.description(
    "Writes manifests for live resources. The next plan with these manifests only adopts. What no manifest can say is left out, with a comment and a warning. Existing manifests are not read.",
  );
  exporting.addArgument(kindsArgument("export only these kinds"));
  exporting
    .optionsGroup("Export:")
    .addOption(new Option("--owned", "export what this stack owns, instead of what no stack owns").conflicts("all"))
    .option("--all", "export everything")
    .addOption(
      new Option(
        "--from-tfstate <file>",
        "export only what this Terraform state manages, named after its addresses; the file is only read, and may be a pipe",
      ).conflicts("owned"),
    )
    .option("--out-dir <dir>", "write files into this directory instead of stdout; created if its parent exists")
    .addOption(
      new Option("--split <by>", "with --out-dir: one file per kind or per resource (default: kind)").choices([
        "kind",
        "resource",
      ]),
    )
    .option("--force", "with --out-dir: overwrite existing files");
  addOutputOptions(exporting, ["yaml", "json"]);
  addConcurrencyOption(addApiOptions(addConfigOptions(exporting)));
  addPageCacheOption(exporting);
  addExamples(exporting, [
    ["edgewise export --out-dir edge", "bring an account into Git"],
    ["edgewise export TLSEdge", "print one kind"],
    ["edgewise export --from-tfstate <(terraform state pull) --out-dir edge", "take over from Terraform"],
  ]);
  exporting.action((exportKinds: readonly string[], flags: ExportFlags) =>
    go(flags, async (io) => (await import("../export.js")).exportCommand(exportKinds, flags, io)),
  );
}

function defineSchema(program: Command, go: StartCommand): void {
  const schema = program.command("schema").summary("print the JSON Schema of a kind, or write those for editors");
  schema.description(
    "Prints the JSON Schema of one kind, or of all manifests. With --out, writes schemas for editors, which complete what is in your manifests.",
  );
  schema.addArgument(hinted(new Argument("[kind]", "a kind, Config, Fleet, or an output: plan, result, drift, …")));
  schema
    .optionsGroup("Editors:")
    .option("--out <dir>", "write the schemas for editors into this directory; renews those that edgewise wrote")
    .option("--force", "with --out: replace files that edgewise did not write");
  addConfigOptions(addOutputOptions(addOutputFileOption(schema)));
  addExamples(schema, [
    ["edgewise schema TLSEdge --output-file tls-edge.schema.json", "for one kind"],
    ["edgewise schema --out .edgewise/schemas", "after you added or renamed resources"],
  ]);
  schema.action((kind: string | undefined, flags: SchemaFlags) =>
    go(flags, async (io) => (await import("../schema.js")).schemaCommand(kind, flags, io)),
  );
}

function defineExplain(program: Command, go: StartCommand): void {
  const explain = program
    .command("explain")
    .summary("explain a kind or a field")
    .addArgument(hinted(new Argument("<path>", "KIND, or KIND.field.field")));
  explain.description("Shows the documentation of a kind or of one of its fields.");
  addOutputOptions(addOutputFileOption(explain));
  addExamples(explain, [["edgewise explain TLSEdge.tls_termination.min_version", "one field"]]);
  explain.action((path: string, flags: CommonFlags) =>
    go(flags, async (io) => (await import("../explain.js")).explainCommand(path, flags, io)),
  );
}

/** Adds values for the shell to complete; the command itself accepts others too. */
function hinted(argument: Argument): Argument {
  argument.choices([...kindNames, "Config", "Fleet"]);
  return argument.argParser((value: string) => value);
}
