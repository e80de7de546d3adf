import { writeEditorSchemas } from "./support/write-schemas.js";
import { loadContext } from "./support/command-context.js";
import { EdgewiseError } from "../core/errors.js";
import { bundle, readSchemas, requireSchemaName } from "../schema/schema-files.js";
import type { GuardedIo } from "./support/io.js";
import { writeResult } from "./support/output.js";
import {
  addExamples,
  addSharedOptions,
  schemaArgument,
  type CommonFlags,
  type DefineCommand,
} from "./support/command-options.js";

export interface SchemaFlags extends CommonFlags {
  readonly out?: string;
  readonly force?: boolean;
}

export const define: DefineCommand = (command, run) => {
  command.addArgument(schemaArgument("[kind]", "a kind, Config, Fleet, or an output: plan, result, drift, …"));
  command.description(
    "Prints the JSON Schema of one kind, or of all manifests. With --out, writes schemas for editors, which complete what is in your manifests.",
  );
  command
    .optionsGroup("Editors:")
    .option("--out <dir>", "write the schemas for editors into this directory; renews those that edgewise wrote")
    .option("--force", "with --out: replace files that edgewise did not write");
  addSharedOptions(command, [], "file", "config");
  addExamples(command, [
    ["edgewise schema TLSEdge --output-file tls-edge.schema.json", "for one kind"],
    ["edgewise schema --out .edgewise/schemas", "after you added or renamed resources"],
  ]);
  command.action((kind: string | undefined, flags: SchemaFlags) =>
    run(flags, async (io) => schemaCommand(kind, flags, io)),
  );
};

/**
 * `schema [KIND]`: prints the JSON Schema of a kind, of the configuration (`Config`), of
 * the fleet file (`Fleet`) or of an output (`plan`, `result`,
 * …) as one document; without a name, the schema of all manifests. With `--out` it writes the schemas for editors.
 * @throws EdgewiseError `usage` when there is no such schema
 */
export async function schemaCommand(asked: string | undefined, flags: SchemaFlags, io: GuardedIo): Promise<number> {
  if (flags.out !== undefined) return writeSchemas(flags.out, asked, flags, io);
  if (flags.force === true) {
    throw new EdgewiseError("usage", "--force replaces files of --out, which is not given", {
      remedy: "Add --out <dir>, or leave --force out.",
    });
  }
  const name = requireSchemaName(asked ?? "manifest");
  await writeResult(JSON.stringify(bundle(name, readSchemas(name)), null, 2), flags, io);
  return 0;
}

async function writeSchemas(
  directory: string,
  asked: string | undefined,
  flags: SchemaFlags,
  guardedIo: GuardedIo,
): Promise<number> {
  if (asked !== undefined || flags.outputFile !== undefined) {
    const other = asked === undefined ? "--output-file" : JSON.stringify(asked);
    throw new EdgewiseError("usage", `--out writes all schemas for editors, so it does not go with ${other}`, {
      remedy: "Leave out one of the two.",
    });
  }
  const { config, io, log } = await loadContext(flags, guardedIo, { offline: true });
  if (config.file === null)
    log.info("There is no edgewise.yaml here or above, so no names of resources are suggested.");
  await writeEditorSchemas(
    directory,
    { config: config.file === null ? null : config, foreign: flags.force === true ? "replace" : "refuse" },
    { io, log, report: (what, path) => io.stdout(`${what.padEnd(7)} ${path}\n`) },
  );
  return 0;
}
