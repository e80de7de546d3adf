import { Option } from "commander";
import { configIn, writeEditorSchemas, writeEditorSettings } from "./support/write-schemas.js";
import { vendoring } from "./support/vendor-program.js";
import { slug } from "../text/slug.js";
import { programDirectory } from "../init/vendored-program.js";
import { attributeLines, ignoredLines, initFiles } from "../init/init-files.js";
import { readFile, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { EdgewiseError } from "../core/errors.js";
import { makeDirectory } from "../files/write-file.js";
import { writeFile } from "../files/write-file.js";
import type { Workplace } from "../files/write-file.js";
import type { CiSystem } from "../init/ci-files.js";
import { schemaDirectory } from "../init/editor-files.js";
import { version } from "../core/version.js";
import type { GuardedIo } from "./support/io.js";
import { type Log, createLog } from "./support/log.js";
import { exists } from "./support/output-files.js";
import {
  type RepositoryAbove,
  deadPipelines,
  onlyStack,
  refuseUpgradeBelow,
  repositoryAbove,
} from "./support/repository-above.js";
import {
  addExamples,
  addOutputOptions,
  addRareOptions,
  type CommonFlags,
  type DefineCommand,
} from "./support/command-options.js";

export interface InitFlags extends CommonFlags {
  /** False with `--no-vendor`. */
  readonly vendor?: boolean;
  readonly upgrade?: boolean;
  readonly ci?: CiSystem;
}

/** Where files are written, and how they are told. */
interface Target {
  /** Absolute. */
  readonly directory: string;
  readonly place: Workplace;
  readonly io: GuardedIo;
  readonly tell: (what: "wrote" | "kept" | "renewed", path: string) => void;
}

export const define: DefineCommand = (command, run) => {
  command.argument("[dir]", "the directory (default: the current one)");
  command.description(
    "Writes a configuration, a first manifest, CI workflows, schemas for editors, and the program itself as .edgewise/edgewise.mjs, with its checksum. Never overwrites files.",
  );
  command.optionsGroup("Configuration:").option("--stack <name>", "the stack's name (default: the directory's name)");
  command
    .optionsGroup("Pipelines:")
    .addOption(
      new Option("--ci <system>", "write pipelines for it (default: github)").choices(["github", "gitlab", "none"]),
    );
  command
    .optionsGroup("Program:")
    .option("--no-vendor", "leave the program out; the workflows must then get it from elsewhere")
    .option(
      "--upgrade",
      "replace the program in the repository by the one that runs, renew the schemas for editors, and touch nothing else",
    );
  addRareOptions(addOutputOptions(command));
  addExamples(command, [
    ["edgewise init edge-config", "then: cd edge-config && edgewise validate"],
    ["edgewise init --upgrade", "after you installed a newer edgewise"],
  ]);
  command.action((dir: string | undefined, flags: InitFlags) => run(flags, async (io) => initCommand(dir, flags, io)));
};

/**
 * `init [DIR]`: writes a configuration, a first manifest, a CI workflow, the program itself, schemas and settings for
 * editors, and lines for .gitignore and .gitattributes. Keeps existing files. With `--upgrade` it renews the program and the
 * schemas, and touches nothing else.
 */
export async function initCommand(dir: string | undefined, flags: InitFlags, io: GuardedIo): Promise<number> {
  const upgrade = flags.upgrade === true;
  if (upgrade && flags.vendor === false) {
    throw new EdgewiseError("usage", "--upgrade and --no-vendor contradict each other", { remedy: "Leave one out." });
  }
  if (flags.ci === "gitlab" && flags.vendor === false) {
    throw new EdgewiseError("usage", "the pipeline for GitLab runs the program in the repository, so it needs it", {
      remedy: "Leave out --no-vendor, or use --ci none and write a pipeline yourself.",
    });
  }
  const log = createLog(flags, io);
  const directory = resolve(io.cwd, dir ?? ".");
  if ((await stat(directory).catch(() => null))?.isDirectory() === false) {
    throw new EdgewiseError("usage", `${dir ?? directory} is a file, and init needs a directory`, {
      remedy: "Name a directory, which need not exist, or leave it out for the current one.",
    });
  }
  const above = await repositoryAbove(directory);
  if (upgrade) await refuseUpgradeBelow(above, directory);
  // The pipelines at the repository's top find a further stack by themselves.
  const isFurther = above?.hasProgram === true && !upgrade && flags.ci === undefined;
  const vendor = flags.vendor !== false && !isFurther;
  const ci = flags.ci ?? (isFurther ? "none" : "github");
  const stack = flags.stack ?? slug(basename(directory)) ?? "edge";
  const tell: Target["tell"] = (what, path) =>
    io.stdout(`${what.padEnd(5)} ${dir === undefined ? path : join(dir, path)}\n`);
  const target: Target = { directory, place: { cwd: io.cwd, root: directory }, io, tell };
  // Read first: when the program is missing, nothing is written.
  const program = vendor ? await vendoring(directory, upgrade) : null;
  makeDirectory(directory, target.place);
  for (const { path, text } of upgrade ? [] : initFiles({ stack, ci, version, vendored: vendor })) {
    const there = await exists(join(directory, path));
    if (!there) await writeBelow(target, path, text);
    tell(there ? "kept" : "wrote", path);
  }
  if (program !== null) {
    makeDirectory(join(directory, programDirectory), target.place);
    for (const { path, text: built, action } of program.files) {
      // The program as it was built: masking it could only break it.
      if (action !== "keep") await writeBelow(target, path, built);
      tell(({ keep: "kept", write: "wrote", renew: "renewed" } as const)[action], path);
    }
    await addLines(target, ".gitattributes", attributeLines);
    for (const { level, text } of program.notes) log[level](text);
  }
  await writeForEditors(target, above, { log, upgrade });
  if (upgrade) return 0;
  await addLines(target, ".gitignore", ignoredLines);
  if (above !== null) {
    const dead = deadPipelines(above, directory, ci);
    if (isFurther) log.info(onlyStack(above));
    else if (dead !== null) log.warning(dead);
  }
  const change = dir === undefined ? "" : `cd ${dir}, `;
  log.info(
    `\nNext: ${change}set EDGEWISE_BASE_URL and EDGEWISE_API_KEY (or start \`edgewise sandbox\`), then run \`edgewise plan\`.`,
  );
  return 0;
}

/** Writes the schemas for editors and, but for an upgrade, their settings. */
async function writeForEditors(
  { directory, io, tell }: Target,
  above: RepositoryAbove | null,
  { log, upgrade }: { readonly log: Log; readonly upgrade: boolean },
): Promise<void> {
  // The top of a repository with many stacks has a program, and neither a stack nor schemas.
  const places = ["edgewise.yaml", schemaDirectory].map((path) => exists(join(directory, path)));
  if (upgrade && !(await Promise.all(places)).includes(true)) return;
  const config = await configIn(directory, io);
  const here: GuardedIo = { ...io, cwd: directory, root: directory };
  await writeEditorSchemas(schemaDirectory, { config, foreign: "keep" }, { io: here, log, report: tell });
  if (upgrade) return;
  const top = above?.top ?? null;
  await writeEditorSettings({ directory, config, top }, { io: { ...io, root: directory }, log, report: tell });
}

/** Writes a file below the directory, and creates the directories in between. */
async function writeBelow({ directory, place }: Target, path: string, text: string): Promise<void> {
  const above = path.split("/").slice(0, -1);
  for (const [index] of above.entries()) makeDirectory(join(directory, ...above.slice(0, index + 1)), place);
  await writeFile(join(directory, path), text, place, "ordinary");
}

/** Adds the lines that a file doesn't have. */
async function addLines(target: Target, path: string, lines: readonly string[]): Promise<void> {
  const { directory, place, tell } = target;
  const before = await readFile(join(directory, path), "utf8").catch(() => "");
  const present = new Set(before.split(/\r?\n/u));
  const missing = lines.filter((line) => !present.has(line));
  if (missing.length === 0) return tell("kept", path);
  const gap = before === "" || before.endsWith("\n") ? "" : "\n";
  await writeFile(join(directory, path), before + `${gap}${missing.join("\n")}\n`, place, "ordinary");
  tell("wrote", path);
}
