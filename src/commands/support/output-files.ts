import { shownPlan } from "../../plan/plan-secrets.js";
import { standardStream } from "../../files/real-path.js";
import { checkWritable, writeFile } from "../../files/write-file.js";
import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { EdgewiseError } from "../../core/errors.js";
import type { Workplace } from "../../files/write-file.js";
import type { Plan } from "../../plan/plan-format.js";
import { safeJson } from "../../core/visible.js";
import type { CommandContext } from "./command-context.js";
import type { GuardedIo, Io } from "./io.js";

/** Where a command writes files: links in the working directory and below the configuration are not trusted. */
export function workplaceOf({ cwd, root }: Pick<Io, "cwd" | "root">): Workplace {
  return { cwd, ...(root === undefined ? {} : { root }) };
}

/** Checks beforehand whether {@link writeOutput} can write the file. @throws EdgewiseError `io`, `usage` */
export async function checkOutput(file: string | undefined, io: Io): Promise<void> {
  if (file === undefined) return;
  await refuseManifest(file, "", io);
  checkWritable(file, workplaceOf(io));
}

/** Whether there is a file or directory. */
export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/**
 * Writes a command's result to a file that only its owner can read: a plan or report reveals a lot about an account.
 * `/dev/stdout` and `/dev/stderr` are the streams themselves.
 * @throws EdgewiseError `io`, and `usage` where the file holds a manifest
 */
export async function writeOutput(file: string, text: string, io: GuardedIo): Promise<void> {
  const stream = standardStream(file);
  if (stream !== null) return io[stream](text);
  await refuseManifest(file, text, io);
  await writeFile(file, text, workplaceOf(io), "private");
}

const manifest = /apiVersion["']?\s*:\s*["']?edgewise\//u;

/** Only what is a manifest itself, as an export is, may replace a manifest or the configuration. */
async function refuseManifest(file: string, text: string, { cwd }: Pick<Io, "cwd">): Promise<void> {
  const path = resolve(cwd, file);
  if ((await stat(path).catch(() => null))?.isFile() !== true || manifest.test(text)) return;
  const before = await readFile(path, "utf8").catch(() => "");
  if (!manifest.test(before)) return;
  throw new EdgewiseError("usage", `${file} is a manifest or the configuration, and was not changed`, {
    remedy: "Name another file for the result.",
  });
}

/** Saves a plan for `apply PLANFILE`. Only its owner can read it. */
export async function savePlan(plan: Plan, file: string, { io, log }: CommandContext): Promise<void> {
  const saved = shownPlan(plan, (text) => io.redactor.redact(text));
  await writeOutput(file, safeJson(saved), io);
  log.info(`The plan is saved in ${file} (${saved.hash}).`, { file, hash: saved.hash });
}
