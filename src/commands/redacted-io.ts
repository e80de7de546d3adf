import type { Redactor } from "../api/redact.js";
import type { Io } from "./io.js";

/** The same Io, with every secret that the redactor knows masked in what is written. */
export function redactedIo(io: Io, redactor: Redactor): Io {
  return {
    ...io,
    stdout: (text) => io.stdout(redactor.redact(text)),
    stderr: (text) => io.stderr(redactor.redact(text)),
    mask: (text) => redactor.redact(text),
  };
}
