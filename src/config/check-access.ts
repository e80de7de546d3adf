import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { type Code, codes } from "../diagnostics/codes.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { othersAccess } from "../files/others-access.js";
import { ownUid } from "../files/own-uid.js";
import { ConfigProblems } from "./config-problems.js";

/**
 * Who else can change the configuration, which says what is applied where: a warning when it belongs to somebody else,
 * as in containers that work on a checkout of their host. That others can read it is how Git checks files out, and that
 * their group can write it is the default of distributions on which every user has a group of their own.
 * @param file absolute
 * @throws ConfigProblems when every user can write it
 */
export async function checkAccess(file: string): Promise<readonly Diagnostic[]> {
  const found = await stat(file).catch(() => null);
  // Whoever reads it finds out.
  if (found === null) return [];
  const { everybodyWrites, owns } = othersAccess(found, ownUid());
  if (everybodyWrites !== null) {
    throw new ConfigProblems(basename(file), [diagnostic(file, "config-writable", everybodyWrites)]);
  }
  return owns === null ? [] : [diagnostic(file, "config-foreign", owns)];
}

function diagnostic(file: string, code: Extract<Code, `config-${string}`>, words: string): Diagnostic {
  const { remedy, severity } = codes[code];
  const name = basename(file);
  return { severity, code, message: `${name} ${words}`, remedy, file: name, line: 1, column: 1, address: null };
}
