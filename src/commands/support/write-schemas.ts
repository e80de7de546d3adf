import { basename, dirname, join, resolve } from "node:path";
import type { Config } from "../../config/config.js";
import { EdgewiseError } from "../../core/errors.js";
import { makeDirectory, writeFile } from "../../files/write-file.js";
import { editorSchemaTexts } from "../../generated/editor-schemas.js";
import { programDirectory, readThere } from "../../init/init-files.js";
import { diskTree } from "../../manifest/disk-tree.js";
import { loadManifests } from "../../manifest/load-manifests.js";
import { editorSchemas, isEditorSchema } from "../../schema/editor-schemas.js";
import { listFew } from "../../core/text.js";
import type { CommandIo } from "./command-io.js";
import { workplaceOf } from "./output.js";

export type ReportFile = (what: "wrote" | "kept" | "renewed", path: string, text?: string) => void;

/** Writes schemas for editors that suggest the names in a configuration's manifests. Renews those that edgewise wrote. */
export async function writeEditorSchemas(
  directory: string,
  config: Config | null,
  io: CommandIo,
  report: ReportFile,
): Promise<void> {
  const texts = editorSchemas(config === null ? {} : await namesOf(config, io), editorSchemaTexts);
  const full = resolve(io.cwd, directory);
  const files = await Promise.all(
    [...texts].map(async ([name, text]) => ({ name, text, there: await readThere(join(full, name)) })),
  );
  const others = files.filter(({ there }) => there !== null && !isEditorSchema(there));
  if (others.length > 0) {
    const names = others.map(({ name }) => join(directory, name)).join(", ");
    throw new EdgewiseError("io", `nothing was written, because edgewise did not write these files: ${names}`, {
      remedy: "Name another directory, or remove them.",
    });
  }
  const place = workplaceOf(io);
  // Of a mistyped path no tree is made, but this directory is edgewise's own.
  if (basename(dirname(full)) === programDirectory) makeDirectory(dirname(directory), place);
  makeDirectory(directory, place);
  for (const { name, text, there } of files) {
    const path = join(directory, name);
    if (there === text) {
      report("kept", path);
      continue;
    }
    await writeFile(path, text, place, "ordinary");
    report(there === null ? "wrote" : "renewed", path, text);
  }
}

async function namesOf({ adopt, patternBase, patterns, root, variables }: Config, { env, log }: CommandIo) {
  const { manifests, diagnostics } = await loadManifests({
    tree: diskTree(root),
    patterns,
    patternBase,
    variables,
    env,
    adopt,
    stack: null,
    allowInlineSecrets: false,
    apiKeyFile: null,
    complete: false,
    deep: false,
  });
  const broken = diagnostics.filter(({ severity }) => severity === "error").map(({ file }) => file);
  if (broken.length > 0)
    log.warning(
      `names in manifests with errors are not suggested: ${listFew([...new Set(broken)], 3)}; run edgewise validate`,
    );
  const names: { [kind: string]: { [name: string]: string } } = {};
  for (const { kind, name, source } of manifests) (names[kind] ??= {})[name] = source.file;
  return names;
}
