import { basename, dirname, join, resolve } from "node:path";
import { EdgewiseError } from "../../core/errors.js";
import { makeDirectory, writeFile } from "../../files/write-file.js";
import { editorSchemaTexts } from "../../generated/editor-schemas.js";
import { programDirectory, readThere } from "../../init/init-files.js";
import type { CommandIo } from "./command-io.js";
import { workplaceOf } from "./output.js";

export type ReportFile = (what: "wrote" | "kept" | "renewed", path: string, text?: string) => void;

/** Writes schemas for editors, and renews those that edgewise wrote. */
export async function writeEditorSchemas(directory: string, io: CommandIo, report: ReportFile): Promise<void> {
  const full = resolve(io.cwd, directory);
  const files = await Promise.all(
    Object.entries(editorSchemaTexts).map(async ([name, text]) => {
      return { path: join(directory, name), text, there: await readThere(join(full, name)) };
    }),
  );
  const others = files.filter(({ there }) => there?.slice(0, 1000).includes("`edgewise schema --out`") === false);
  if (others.length > 0) {
    const names = others.map(({ path }) => path).join(", ");
    throw new EdgewiseError("io", `nothing was written, because edgewise did not write these files: ${names}`, {
      remedy: "Name another directory, or remove them.",
    });
  }
  const place = workplaceOf(io);
  // Of a mistyped path no tree is made, but this directory is edgewise's own.
  if (basename(dirname(full)) === programDirectory) makeDirectory(dirname(directory), place);
  makeDirectory(directory, place);
  for (const { path, text, there } of files) {
    if (there !== text) await writeFile(path, text, place, "ordinary");
    report(there === text ? "kept" : there === null ? "wrote" : "renewed", path, text);
  }
}
