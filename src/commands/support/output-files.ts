import { stat } from "node:fs/promises";
import type { Workplace } from "../../files/write-target.js";
import type { Plan } from "../../plan/plan-format.js";
import type { CommandContext } from "./command-context.js";
import type { GuardedIo, Io } from "./io.js";

/** Where a command writes files: links in the working directory and below the configuration are not trusted. */
export function workplaceOf({ cwd, env, root }: Pick<Io, "cwd" | "env" | "root">): Workplace {
  const sudoUid = Number.parseInt(env["SUDO_UID"] ?? "", 10);
  return { cwd, ...(root === undefined ? {} : { root }), ...(Number.isNaN(sudoUid) ? {} : { sudoUid }) };
}

/** Checks beforehand whether {@link writeOutput} can write the file. @throws EdgewiseError `io` */
export async function checkOutput(file: string | undefined, io: Io): Promise<void> {
  if (file === undefined) return;
  const { checkWritable } = await import("../../files/write-file.js");
  await checkWritable(file, workplaceOf(io));
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
 * @throws EdgewiseError `io`
 */
export async function writeOutput(file: string, text: string, io: GuardedIo): Promise<void> {
  const [{ standardStream }, { writeFile }] = await Promise.all([
    import("../../files/follow-links.js"),
    import("../../files/write-file.js"),
  ]);
  const stream = standardStream(file);
  if (stream !== null) return io[stream](text);
  await writeFile(file, io.mask(text), workplaceOf(io), "private");
}

/**
 * Writes an object as JSON on several lines to a file, or to stdout without one, and never has its text in memory as a
 * whole. Every value in it is masked.
 * @throws EdgewiseError `io`
 */
export async function writeJson(object: object, file: string | undefined, io: GuardedIo): Promise<void> {
  const { safeJsonParts } = await import("../../text/safe-json.js");
  // Made anew whenever it is written: a file that can't be replaced is written a second time.
  const partsWith = (mask: (json: string) => string): Iterable<string> => ({
    [Symbol.iterator]: () => safeJsonParts(object, mask),
  });
  const toStdout = async (): Promise<void> => {
    for (const part of partsWith((json) => io.mask(json))) {
      io.stdout(part, "masked");
      await io.drained?.();
    }
  };
  if (file === undefined) return toStdout();
  const [{ standardStream }, { writeFile }] = await Promise.all([
    import("../../files/follow-links.js"),
    import("../../files/write-file.js"),
  ]);
  const stream = standardStream(file);
  if (stream === "stdout") return toStdout();
  if (stream === "stderr") return io.stderr([...partsWith((json) => io.mask(json))].join(""));
  await writeFile(
    file,
    partsWith((json) => io.mask(json)),
    workplaceOf(io),
    "private",
  );
}

/**
 * Saves a plan for `apply PLANFILE`. It is masked like every output, because live values may repeat a secret, and only
 * its owner can read it.
 */
export async function savePlan(plan: Plan, file: string, { io, log }: CommandContext): Promise<void> {
  const saved = await maskedPlan(plan, io);
  io.redactor.reveal(saved.hash);
  await writeJson(saved, file, io);
  log.info(`The plan is saved in ${file} (${saved.hash}).`, { file, hash: saved.hash });
}

/** A plan with every known secret masked, and its hash computed again; the same plan when it contains none. */
export async function maskedPlan(plan: Plan, { mask }: Pick<GuardedIo, "mask">): Promise<Plan> {
  const { maskedMembers } = await import("../../text/safe-json.js");
  const masked = maskedMembers(plan, mask);
  if (masked === plan) return plan;
  const { hashPlan } = await import("../../plan/canonical-json.js");
  return { ...masked, hash: hashPlan(masked) };
}
