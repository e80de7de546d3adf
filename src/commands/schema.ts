import { bundle, readSchemas, requireSchemaName } from "../schema/schema-files.js";
import type { CommonFlags } from "./support/flags.js";
import type { GuardedIo } from "./support/io.js";
import { writeResult } from "./support/output.js";

/**
 * `schema [KIND]`: prints the JSON Schema of a kind, of the configuration (`Config`), of
 * the fleet file (`Fleet`) or of an output (`plan`, `result`,
 * …) as one document; without a name, the schema of all manifests.
 * @throws EdgewiseError `usage` when there is no such schema
 */
export async function schemaCommand(
  asked: string | undefined,
  flags: Pick<CommonFlags, "outputFile">,
  io: GuardedIo,
): Promise<number> {
  const name = requireSchemaName(asked ?? "manifest");
  await writeResult(JSON.stringify(bundle(name, await readSchemas(name)), null, 2), flags, io);
  return 0;
}
