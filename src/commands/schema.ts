import { misuse } from "../core/errors.js";
import { bundle, requireSchemaName } from "../schema/schema-files.js";
import type { CommandIo } from "./support/command-io.js";
import { type CommonFlags, type DefineCommand, schemaArgument } from "./support/command-options.js";
import { writeResult } from "./support/output.js";
import { writeEditorSchemas } from "./support/write-schemas.js";

interface SchemaFlags extends CommonFlags {
  readonly out?: string;
}

export const define: DefineCommand = (command, run) =>
  command
    .addArgument(schemaArgument("[kind]", "a kind, Config, Fleet, or an output: plan, result, drift, …"))
    .description("Prints the JSON Schema of one kind, or of all manifests. With --out, writes schemas for editors.")
    .optionsGroup("Editors:")
    .option("--out <dir>", "write the schemas for editors into this directory; renews those that edgewise wrote")
    .shared([], "file")
    .examples([
      ["edgewise schema TLSEdge --output-file tls-edge.schema.json", "for one kind"],
      ["edgewise schema --out .edgewise/schemas", "for editors"],
    ])
    .action(run(schema));

async function schema(io: CommandIo, asked: string | undefined, flags: SchemaFlags): Promise<number> {
  const { out } = flags;
  if (out === undefined) {
    const name = requireSchemaName(asked ?? "manifest");
    await writeResult(JSON.stringify(bundle(name), null, 2), io);
    return 0;
  }
  if (asked !== undefined || io.outputFile !== undefined) {
    const other = asked === undefined ? "--output-file" : JSON.stringify(asked);
    throw misuse(`--out writes all schemas for editors, so it does not go with ${other}`, "Leave out one of the two.");
  }
  await writeEditorSchemas(out, io, (what, path) => io.stdout(`${what.padEnd(7)} ${path}\n`));
  return 0;
}
