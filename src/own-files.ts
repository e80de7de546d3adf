import { readFile } from "node:fs/promises";

// The same from src/ and from dist/. The program that is one file has another version of this module, with everything
// inside: see scripts/single-file.mjs.
const root = new URL("../", import.meta.url);

/** The text of a file in schemas/. */
export async function schemaText(file: string): Promise<string> {
  return readFile(new URL(`schemas/${file}`, root), "utf8");
}

/** A program that needs no other file. */
export interface OwnProgram {
  readonly text: string;
  /** The licences of everything in it. */
  readonly licenses: string;
}

/** The program that runs, as one file. Throws what reading throws when it was not built. */
export async function ownProgram(): Promise<OwnProgram> {
  const [text, licenses] = await Promise.all(
    ["dist/edgewise.mjs", "dist/edgewise.mjs.LICENSES.txt"].map(async (file) => readFile(new URL(file, root), "utf8")),
  );
  return { text: text ?? "", licenses: licenses ?? "" };
}
