import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

// The same from src/ and from dist/. The program that is one file has another version of this module, with everything
// inside: see scripts/single-file.mjs.
const root = new URL("../", import.meta.url);

/** The text of a file in schemas/. */
export async function schemaText(file: string): Promise<string> {
  return readFile(new URL(`schemas/${file}`, root), "utf8");
}

/** A program that needs no other file. */
export interface OwnProgram {
  /** Where it is. */
  readonly path: string;
  readonly text: string;
  /** The licences of everything in it. */
  readonly licenses: string;
}

/** The program that runs, as one file. Throws what reading throws when it was not built. */
export async function ownProgram(): Promise<OwnProgram> {
  const path = fileURLToPath(new URL("dist/edgewise.mjs", root));
  const [text, licenses] = await Promise.all([readFile(path, "utf8"), readFile(`${path}.LICENSES.txt`, "utf8")]);
  return { path, text, licenses };
}

/** The program of the process that evaluates policies: a file, or its code. */
export type PolicyProgram = { readonly file: string } | { readonly code: string };

export function policyProgram(): PolicyProgram {
  return { file: fileURLToPath(new URL("dist/commands/support/policy-process.js", root)) };
}
