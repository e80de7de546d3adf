import { suggest } from "../diagnostics/suggest.js";
import { EdgewiseError } from "../errors.js";
import { bundle, readSchemas, schemaName, schemaNames } from "../schema/schema-files.js";
import type { CommonFlags } from "./support/flags.js";
import type { Io } from "./support/io.js";
import { writeResult } from "./support/output.js";

/**
 * `schema [KIND]`: the JSON Schema of a kind, of the configuration (`Config`) or of an output (`plan`, `result`, …), in
 * one document; without one that of manifests of any kind.
 * @throws EdgewiseError `usage` when there is none of that name
 */
export async function schemaCommand(
  asked: string | undefined,
  flags: Pick<CommonFlags, "outputFile">,
  io: Io,
): Promise<number> {
  const name = properName(asked ?? "manifest");
  await writeResult(JSON.stringify(bundle(name, await readSchemas(name)), null, 2), flags, io);
  return 0;
}

/** The name of a schema as it is spelt. @throws EdgewiseError `usage` when there is none */
export function properName(asked: string): string {
  const name = schemaName(asked);
  if (name !== null) return name;
  const near = suggest(asked, schemaNames);
  const known = `There are ${schemaNames.join(", ")}.`;
  throw new EdgewiseError("usage", `there is no schema named ${JSON.stringify(asked)}`, {
    remedy: near === null ? known : `Did you mean ${near}? ${known}`,
  });
}
