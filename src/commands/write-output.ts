import type { Workplace } from "../files/write-target.js";
import type { GuardedIo } from "./guarded-io.js";
import type { Io } from "./io.js";

/** Where a command writes files: links in the working directory and below the configuration are not trusted. */
export function workplaceOf({ cwd, env, root }: Pick<Io, "cwd" | "env" | "root">): Workplace {
  const sudoUid = Number.parseInt(env["SUDO_UID"] ?? "", 10);
  return { cwd, ...(root === undefined ? {} : { root }), ...(Number.isNaN(sudoUid) ? {} : { sudoUid }) };
}

/** Finds out beforehand whether {@link writeOutput} would refuse the file. @throws EdgewiseError `io` */
export async function checkOutput(file: string | undefined, io: Io): Promise<void> {
  if (file === undefined) return;
  const { checkWritable } = await import("../files/write-file.js");
  await checkWritable(file, workplaceOf(io));
}

/**
 * Writes what a command has found to a file that only its owner can read: a plan or a report says a lot about an account.
 * `/dev/stdout` and `/dev/stderr` are the streams themselves.
 * @throws EdgewiseError `io`
 */
export async function writeOutput(file: string, text: string, io: GuardedIo): Promise<void> {
  const [{ standardStream }, { writeFile }] = await Promise.all([
    import("../files/follow-links.js"),
    import("../files/write-file.js"),
  ]);
  const stream = standardStream(file);
  if (stream !== null) return io[stream](text);
  await writeFile(file, io.mask(text), workplaceOf(io), "private");
}
