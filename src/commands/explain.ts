import { EdgewiseError } from "../errors.js";
import { palette } from "../report/styles.js";
import { type NoSuchField, explain } from "../schema/explain-field.js";
import { readSchemas } from "../schema/schema-files.js";
import { explanationText } from "./explanation-text.js";
import type { CommonFlags } from "./flags.js";
import type { Io } from "./io.js";
import { properName } from "./schema.js";
import { writeResult } from "./write-result.js";

/** Lines of prose longer than this are hard to read, however wide the terminal. */
const widest = 100;

/**
 * `explain KIND[.field…]`: the documentation of a kind or field from its schema.
 * @throws EdgewiseError `usage` when there is no such kind or field
 */
export async function explainCommand(path: string, flags: Pick<CommonFlags, "outputFile">, io: Io): Promise<number> {
  const [asked = "", ...fields] = path
    .replaceAll(/\[(\d+|\*)?\]/g, "")
    .split(".")
    .filter((step) => step !== "");
  const name = properName(asked);
  const found = explain(name, fields, await readSchemas(name));
  if ("missing" in found) throw noSuchField(found);
  const color = io.color && flags.outputFile === undefined;
  const width = Math.max(40, Math.min(io.columns ?? widest, widest));
  await writeResult(explanationText(found, palette(color), width), flags, io);
  return 0;
}

function noSuchField({ known, missing, suggestion, readOnly, members }: NoSuchField): EdgewiseError {
  if (suggestion === null && readOnly) {
    return new EdgewiseError(
      "usage",
      `${known} has no field ${missing} that could be set: the service sets it itself`,
      {
        remedy: `It takes ${members.join(", ")}.`,
      },
    );
  }
  const list = members.length === 0 ? "It has no fields." : `It has ${members.join(", ")}.`;
  return new EdgewiseError("usage", `${known} has no field ${JSON.stringify(missing)}`, {
    remedy: suggestion === null ? list : `Did you mean ${suggestion}? ${list}`,
  });
}
