import { readFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { makeDirectory } from "../files/hold-directory.js";
import { writeFile } from "../files/write-file.js";
import type { Workplace } from "../files/write-target.js";
import { version } from "../version.js";
import type { CommonFlags } from "./support/flags.js";
import type { GuardedIo } from "./support/io.js";
import { createLog } from "./support/log.js";
import { exists } from "./support/output-files.js";

/** `init [DIR]`: writes a configuration, a first manifest, a CI workflow and lines for .gitignore. Keeps existing files. */
export async function initCommand(dir: string | undefined, flags: CommonFlags, io: GuardedIo): Promise<number> {
  const log = createLog(flags, io);
  const [{ ignoredLines, initFiles }, { slug }] = await Promise.all([
    import("../init/init-files.js"),
    import("../text/slug.js"),
  ]);
  const target = resolve(io.cwd, dir ?? ".");
  const stack = flags.stack ?? slug(basename(target)) ?? "edge";
  const shown = (path: string): string => (dir === undefined ? path : join(dir, path));
  const place = { cwd: io.cwd, root: target };
  makeDirectory(target, place);
  for (const { path, text } of initFiles({ stack, version })) {
    const there = await exists(join(target, path));
    if (!there) await writeBelow(target, path, io.mask(text), place);
    io.stdout(`${there ? "kept " : "wrote"} ${shown(path)}\n`);
  }
  const ignored = await ignore(join(target, ".gitignore"), ignoredLines, io, place);
  io.stdout(`${ignored ? "wrote" : "kept "} ${shown(".gitignore")}\n`);
  const change = dir === undefined ? "" : `cd ${dir}, `;
  log.info(
    `\nNext: ${change}set EDGEWISE_BASE_URL and EDGEWISE_API_KEY (or start \`edgewise sandbox\`), then run \`edgewise plan\`.`,
  );
  return 0;
}

/** Writes a file below `directory`, and creates the directories in between. */
async function writeBelow(directory: string, path: string, text: string, place: Workplace): Promise<void> {
  const above = path.split("/").slice(0, -1);
  for (const [index] of above.entries()) makeDirectory(join(directory, ...above.slice(0, index + 1)), place);
  await writeFile(join(directory, path), text, place, "ordinary");
}

/** Adds the missing lines; false when none were missing. */
async function ignore(file: string, lines: readonly string[], { mask }: GuardedIo, place: Workplace): Promise<boolean> {
  const before = await readFile(file, "utf8").catch(() => "");
  const present = new Set(before.split(/\r?\n/u));
  const missing = lines.filter((line) => !present.has(line));
  if (missing.length === 0) return false;
  const gap = before === "" || before.endsWith("\n") ? "" : "\n";
  // Existing content is the user's own and is written back unmasked.
  await writeFile(file, before + mask(`${gap}${missing.join("\n")}\n`), place, "ordinary");
  return true;
}
