import { Argument, type Command, Option } from "commander";
import { kindNames, listedKinds } from "../../kinds/names.js";
import type { ExportFlags } from "../export.js";
import type { CommonFlags } from "../support/flags.js";
import {
  type StartCommand,
  addApiOptions,
  addConcurrencyOption,
  addConfigOptions,
  addExamples,
  addManifestOptions,
  addOutputOptions,
} from "./option-groups.js";

/** `init`, `validate`, `graph`, `export`, `schema` and `explain`. */
export function defineAuthoring(program: Command, go: StartCommand): void {
  program.commandsGroup("Write manifests:");

  const init = program.command("init").summary("start a repository").argument("[dir]", "where to (default: here)");
  init.description(
    "Writes a configuration, a first manifest, a CI workflow and lines for .gitignore. Never overwrites.",
  );
  init.optionsGroup("Configuration:").option("--stack <name>", "the stack's name (default: the directory's)");
  addOutputOptions(init);
  addExamples(init, [["edgewise init edge-config", "then: cd edge-config && edgewise validate"]]);
  init.action((dir: string | undefined, flags: CommonFlags) =>
    go(flags, async (io) => (await import("../init.js")).initCommand(dir, flags, io)),
  );

  const validate = program.command("validate").summary("check the manifests, offline");
  validate.description(
    "Checks configuration and manifests without the service, and shows each problem with its place. Exits 1 when there is an error.",
  );
  addOutputOptions(validate, ["text", "json", "github", "sarif"]);
  addApiOptions(addManifestOptions(addConfigOptions(validate)));
  addExamples(validate, [
    ["edgewise validate", "everything that the configuration names"],
    ["edgewise validate -f edge/api.yaml", "one file, while editing it"],
    ["edgewise validate -o github", "annotations in a pull request"],
  ]);
  validate.action((flags: CommonFlags) =>
    go(flags, async (io) => (await import("../validate.js")).validateCommand(flags, io)),
  );

  const graph = program.command("graph").summary("show what refers to what");
  graph.description("The dependency graph of the manifests. Works offline.");
  addOutputOptions(graph, ["mermaid", "dot", "json"]);
  addApiOptions(addManifestOptions(addConfigOptions(graph)));
  addExamples(graph, [["edgewise graph -o dot | dot -Tsvg > graph.svg", "as a picture"]]);
  graph.action((flags: CommonFlags) => go(flags, async (io) => (await import("../graph.js")).graphCommand(flags, io)));

  const exporting = program.command("export").summary("write manifests of what is live");
  exporting.description(
    "Writes manifests of live resources, so that the next plan over them only adopts. Reads no manifests.",
  );
  exporting.addArgument(new Argument("[kind...]", "export these kinds alone").choices(listedKinds));
  exporting
    .optionsGroup("Export:")
    .addOption(new Option("--owned", "what this stack owns, instead of what no stack owns").conflicts("all"))
    .option("--all", "everything")
    .option(
      "--out-dir <dir>",
      "write files into this directory instead of stdout; it is made if the one above it exists",
    )
    .addOption(
      new Option("--split <by>", "with --out-dir: one file for each (default: kind)").choices(["kind", "resource"]),
    )
    .option("--force", "with --out-dir: overwrite files that exist");
  addOutputOptions(exporting, ["yaml", "json"]);
  addConcurrencyOption(addApiOptions(addConfigOptions(exporting)));
  addExamples(exporting, [
    ["edgewise export --out-dir edge", "bring an account into Git"],
    ["edgewise export TLSEdge", "to stdout"],
  ]);
  exporting.action((exportKinds: readonly string[], flags: ExportFlags) =>
    go(flags, async (io) => (await import("../export.js")).exportCommand(exportKinds, flags, io)),
  );

  const schema = program.command("schema").summary("print the JSON Schema of a kind");
  schema.description("Prints the JSON Schema of one kind, or of every manifest: for editors and other checks.");
  schema.addArgument(hinted(new Argument("[kind]", "a kind, Config, or an output: plan, result, drift, …")));
  schema
    .optionsGroup("Output:")
    .option("--output-file <file>", "write the result to this file, readable by you only, instead of stdout");
  addOutputOptions(schema);
  addExamples(schema, [["edgewise schema TLSEdge --output-file tls-edge.schema.json", "for one kind"]]);
  schema.action((kind: string | undefined, flags: CommonFlags) =>
    go(flags, async (io) => (await import("../schema.js")).schemaCommand(kind, flags, io)),
  );

  const explain = program
    .command("explain")
    .summary("explain a kind or a field")
    .addArgument(hinted(new Argument("<path>", "KIND, or KIND.field.field")));
  explain.description("Shows the documentation of a kind or of one of its fields.");
  explain
    .optionsGroup("Output:")
    .option("--output-file <file>", "write the result to this file, readable by you only, instead of stdout");
  addOutputOptions(explain);
  addExamples(explain, [["edgewise explain TLSEdge.tls_termination.min_version", "one field"]]);
  explain.action((path: string, flags: CommonFlags) =>
    go(flags, async (io) => (await import("../explain.js")).explainCommand(path, flags, io)),
  );
}

/** Values that the shell completes; which others there are, the command knows. */
function hinted(argument: Argument): Argument {
  argument.choices([...kindNames, "Config"]);
  return argument.argParser((value: string) => value);
}
