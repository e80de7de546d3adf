import { basename, dirname, join, relative, resolve } from "node:path";
import type { Config } from "../../config/config.js";
import { EdgewiseError } from "../../core/errors.js";
import { hasCode } from "../../files/file-errors.js";
import { makeDirectory } from "../../files/write-file.js";
import { NotReadable, readBounded } from "../../files/read-bounded.js";
import { writeFile } from "../../files/write-file.js";
import { editorSchemaTexts } from "../../generated/editor-schemas.js";
import { editorMapping, schemaDirectory, settingsPath } from "../../init/editor-files.js";
import { programDirectory } from "../../init/vendored-program.js";
import { type ListedNames, listNames } from "../../manifest/list-names.js";
import { diskTree } from "../../manifest/disk-tree.js";
import { editorSchemas, isEditorSchema } from "../../schema/editor-schemas.js";
import { loadSource } from "./config-source.js";
import type { GuardedIo } from "./io.js";
import type { Log } from "./log.js";
import { exists, workplaceOf } from "./output-files.js";

/** What became of a file. */
export type ReportFile = (what: "wrote" | "kept" | "renewed", path: string, text?: string) => void;

/** What to do with files of these names that edgewise did not write. */
export type ForeignFiles = "refuse" | "replace" | "keep";

/**
 * Writes the schemas for editors into a directory, with the names in a configuration's manifests as suggestions. Renews
 * those that edgewise wrote, and keeps what is the same.
 * @param config null = there is none: nothing is suggested
 * @throws EdgewiseError `io` before anything is written, when foreign files are refused
 */
export async function writeEditorSchemas(
  directory: string,
  { config, foreign }: { readonly config: Config | null; readonly foreign: ForeignFiles },
  { io, log, report }: { readonly io: GuardedIo; readonly log: Log; readonly report: ReportFile },
): Promise<void> {
  const listed = config === null ? null : await namesOf(config, io);
  if (listed !== null && listed.unread.length > 0) warnOfUnread(listed.unread, log);
  const texts = editorSchemas(listed?.names ?? {}, editorSchemaTexts);
  const full = resolve(io.cwd, directory);
  const files = await Promise.all(
    [...texts].map(async ([name, text]) => ({ name, text, there: await readThere(join(full, name)) })),
  );
  const isForeign = (there: string | null): boolean => there !== null && !isEditorSchema(there);
  const others = files.filter(({ there }) => isForeign(there)).map(({ name }) => join(directory, name));
  if (others.length > 0 && foreign === "refuse") {
    throw new EdgewiseError(
      "io",
      `nothing was written, because edgewise did not write these files: ${others.join(", ")}`,
      { remedy: "Name another directory, or give --force to replace them." },
    );
  }
  if (others.length > 0 && foreign === "keep") {
    log.warning(
      `edgewise did not write ${others.join(", ")}, so that is kept; edgewise schema --out ${directory} --force replaces it`,
    );
  }
  const place = workplaceOf(io);
  // Of a mistyped path no tree is made, but this directory is edgewise's own.
  if (basename(dirname(full)) === programDirectory) makeDirectory(dirname(directory), place);
  makeDirectory(directory, place);
  for (const { name, text, there } of files) {
    const isSame = there === text || (foreign === "keep" && isForeign(there));
    if (!isSame) await writeFile(join(directory, name), text, place, "ordinary");
    report(isSame ? "kept" : there === null ? "wrote" : "renewed", join(directory, name), isSame ? undefined : text);
  }
}

async function namesOf(config: Config, io: GuardedIo): Promise<ListedNames> {
  const { adopt, patternBase, patterns, root, variables } = config;
  return listNames({
    tree: diskTree(root),
    patterns,
    patternBase,
    variables,
    env: io.env,
    adopt,
    stack: null,
    allowInlineSecrets: false,
    apiKeyFile: null,
    complete: true,
    deep: false,
  });
}

function warnOfUnread(unread: readonly string[], log: Log): void {
  const shown = unread.slice(0, 3).join(", ") + (unread.length > 3 ? ` and ${unread.length - 3} more` : "");
  log.warning(
    `names in these manifests are not suggested, because they can't be read: ${shown}; run edgewise validate`,
  );
}

/** The configuration in a directory; null when there is none, or it is broken: `validate` says what is wrong with it. */
export async function configIn(directory: string, io: GuardedIo): Promise<Config | null> {
  const file = join(directory, "edgewise.yaml");
  if (!(await exists(file))) return null;
  try {
    // Nothing of this run's environment chooses another one.
    return (await loadSource({ config: file }, { ...io, cwd: directory, env: {} })).config;
  } catch (error) {
    if (error instanceof EdgewiseError) return null;
    throw error;
  }
}

/** Writes VS Code's settings for a configuration unless there are some; then it says what to add. */
export async function writeEditorSettings(
  directory: string,
  config: Config | null,
  { io, log, report }: { readonly io: GuardedIo; readonly log: Log; readonly report: ReportFile },
): Promise<void> {
  const mapping = editorMapping(config?.patterns ?? []);
  const file = join(directory, settingsPath);
  const there = await readThere(file);
  if (there?.includes(`"${schemaDirectory}/`) === true) return report("kept", settingsPath);
  if (there !== null) {
    log.info(`For completion in VS Code, add this to ${relative(io.cwd, file)}:\n${mapping}`);
    return;
  }
  const place = workplaceOf(io);
  makeDirectory(dirname(file), place);
  await writeFile(file, `${mapping}\n`, place, "ordinary");
  report("wrote", settingsPath, mapping);
}

/** Far more than any schema has. */
const mostBytes = 64_000_000;

/** The text of a file; null when it doesn't exist. @throws EdgewiseError `io` */
export async function readThere(path: string): Promise<string | null> {
  try {
    return (await readBounded(path, { most: mostBytes })).toString("utf8");
  } catch (cause) {
    if (hasCode(cause, "ENOENT")) return null;
    const why =
      cause instanceof NotReadable
        ? cause.message
        : hasCode(cause, "ENOTDIR")
          ? "a directory in its path is a file"
          : String(cause);
    throw new EdgewiseError("io", `${path} can't be read: ${why}`, {
      cause,
      remedy: "Remove it, and run the command again.",
    });
  }
}
