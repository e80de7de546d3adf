import { existsSync } from "node:fs";
import { Option } from "commander";
import { readFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { misuse } from "../core/errors.js";
import { version } from "../core/version.js";
import { slashedWay, workTreeOf } from "../files/real-path.js";
import { type Workplace, makeDirectory, writeFile } from "../files/write-file.js";
import { realPathOf } from "../git/find-repository.js";
import {
  type InitFile,
  type Vendoring,
  attributeLines,
  ignoredLines,
  isAsWritten,
  programPath,
  readThere,
  recipeFiles,
  schemaDirectory,
  stackFiles,
  vendoring,
} from "../init/init-files.js";
import { renderFileDiff, unifiedDiff } from "../report/file-diff.js";
import { slug } from "../core/text.js";
import type { CommandIo } from "./support/command-io.js";
import { type Flags, type DefineCommand } from "./support/command-options.js";
import { type ReportFile, writeEditorSchemas } from "./schema.js";

type Target = Readonly<{
  directory: string;
  place: Workplace;
  stack: string;
  io: CommandIo;
  tell: ReportFile;
}>;

export const define: DefineCommand = (command, run) =>
  command
    .argument("[dir]", "the directory (default: the current one)")
    .description(
      "Writes a configuration, a first manifest (as a comment), pipelines, schemas for editors, and the program itself with its checksum. Never overwrites. Below the top of a repository that has the program, writes only a stack.",
    )
    .option("--stack <name>", "the stack's name (default: the directory's name)")
    .addOption(
      new Option("--ci <system>", "write pipelines for it (default: github)").choices(["github", "gitlab", "none"]),
    )
    .option("--no-vendor", "leave the program out; workflows must get it from elsewhere")
    .option("--upgrade", "replace the program by the one that runs; renew schemas for editors, and unchanged pipelines")
    .shared([])
    .examples([
      ["edgewise init edge-config", "then: cd edge-config && edgewise validate"],
      ["edgewise init --upgrade", "after you installed a newer edgewise"],
    ])
    .action(run(init));

async function init(io: CommandIo, dir: string | undefined, flags: Flags) {
  const upgrade = flags.upgrade === true;
  if (upgrade && flags.vendor === false)
    throw misuse("--upgrade and --no-vendor contradict each other", "Leave one out.");
  if (flags.ci === "gitlab" && flags.vendor === false)
    throw misuse("GitLab's pipeline runs the program in the repository", "Leave out --no-vendor, or use --ci none.");
  const directory = resolve(io.cwd, dir ?? ".");
  const tell: ReportFile = (what, path) => io.stdout(`${what.padEnd(5)} ${join(dir ?? "", path)}\n`);
  const stack = flags.stack ?? slug(basename(directory)) ?? "edge";
  const target: Target = { directory, place: { cwd: io.cwd, root: directory }, stack, io, tell };
  const real = await realPathOf(directory);
  const top = workTreeOf(real);
  const above = top === real ? null : top;
  const hasProgramAbove = above !== null && existsSync(join(above, programPath));
  if (upgrade) {
    await upgradeRepository(target, hasProgramAbove ? above : null);
    return 0;
  }
  if (hasProgramAbove) await addStack(target, above, flags);
  else await setUpRepository(target, above, flags);
  const change = dir === undefined ? "" : `cd ${dir}, `;
  io.log.info(
    `\nNext: ${change}set EDGEWISE_BASE_URL and EDGEWISE_API_KEY (or start \`edgewise sandbox\`), edit edge/example.yaml, then run \`edgewise plan\`.`,
  );
  return 0;
}

async function setUpRepository(target: Target, above: string | null, flags: Flags) {
  const { directory, io, tell } = target;
  const vendored = flags.vendor !== false;
  const ci = flags.ci ?? "github";
  // Read first: when the program is missing, nothing is written.
  const program = vendored ? await vendoring(directory, false) : null;
  const recipes = recipeFiles(ci, vendored);
  for (const file of [...stackFiles(target.stack, schemaDirectory), ...recipes]) await put(target, file);
  if (program !== null) await putProgram(program, target, false);
  await addLines(target, ".gitignore", ignoredLines);
  await writeEditorSchemas(schemaDirectory, { ...io, cwd: directory, root: directory }, tell);
  if (above !== null && ci !== "none") {
    const pipeline = { github: ".github", gitlab: ".gitlab-ci.yml" }[ci];
    io.log.warning(
      `pipelines run only at the repository's top, ${above}: move ${pipeline}, .edgewise and .gitattributes there`,
    );
  }
}

async function addStack(target: Target, top: string, flags: Flags) {
  const up = slashedWay(await realPathOf(target.directory), top);
  for (const file of stackFiles(target.stack, `${up}/${schemaDirectory}`)) await put(target, file);
  target.io.log.info(`The program and the pipelines are at the repository's top, ${top}; here is only a stack.`);
  if (flags.ci !== undefined && flags.ci !== "none")
    target.io.log.warning(`a pipeline runs only from there: \`edgewise init --ci ${flags.ci} ${top}\` writes it`);
}

async function upgradeRepository(target: Target, top: string | null) {
  const { directory, io, tell } = target;
  if (top !== null && !existsSync(join(directory, programPath))) {
    const remedy = "Run `edgewise init --upgrade` there.";
    throw misuse(`${directory} holds no program to renew: it is at the repository's top, ${top}`, remedy);
  }
  await putProgram(await vendoring(directory, true), target, true);
  for (const file of [...recipeFiles("github", true), ...recipeFiles("gitlab", true)]) {
    const there = await readThere(join(directory, file.path));
    if (there === null) continue;
    if (there === file.text || isAsWritten(there)) await put(target, file, true);
    else {
      tell("kept", file.path);
      io.log.warning(`${file.path} was changed, and is kept. It differs from that of ${version}:`);
      io.stdout(renderFileDiff(unifiedDiff(file.path, there, file.text), { color: io.color }));
    }
  }
  await writeEditorSchemas(schemaDirectory, { ...io, cwd: directory, root: directory }, tell);
}

async function putProgram({ files, note }: Vendoring, target: Target, renew: boolean) {
  for (const file of files) await put(target, file, renew);
  await addLines(target, ".gitattributes", attributeLines);
  if (note !== null) target.io.log.info(note);
}

async function put({ directory, place, tell }: Target, { path, text }: InitFile, renew = false) {
  const there = await readThere(join(directory, path));
  if (there !== null && (!renew || there === text)) return tell("kept", path);
  const parents = ["", ...dirname(path).split("/")];
  for (const index of parents.keys()) makeDirectory(join(directory, ...parents.slice(0, index + 1)), place);
  await writeFile(join(directory, path), text, place, "ordinary");
  tell(there === null ? "wrote" : "renewed", path);
}

async function addLines({ directory, place, tell }: Target, path: string, lines: readonly string[]) {
  const before = await readFile(join(directory, path), "utf8").catch(() => "");
  const present = new Set(before.split(/\r?\n/u));
  const missing = lines.filter((line) => !present.has(line));
  if (missing.length === 0) return tell("kept", path);
  const gap = before === "" || before.endsWith("\n") ? "" : "\n";
  await writeFile(join(directory, path), `${before}${gap}${missing.join("\n")}\n`, place, "ordinary");
  tell("wrote", path);
}
