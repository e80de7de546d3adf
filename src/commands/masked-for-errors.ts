import type { Io } from "./io.js";

/** The same Io with the environment's API key masked: whatever was thrown, the key is not shown, not even by a bug. */
export async function maskedForErrors(io: Io): Promise<Io> {
  const key = io.env["EDGEWISE_API_KEY"]?.trim();
  if (key === undefined || key === "") return io;
  const [{ Redactor }, { redactedIo }] = await Promise.all([import("../api/redact.js"), import("./redacted-io.js")]);
  const redactor = new Redactor();
  redactor.add(key);
  return redactedIo(io, redactor);
}
