import type { Redactor } from "../api/redact.js";
import type { Io } from "./io.js";

/**
 * The same Io with the environment's API key masked: whatever was thrown, the key is not shown, not even by a bug.
 * @param known masks the secrets that the run came to know; null when it did not come so far
 */
export async function maskedForErrors(io: Io, known: Redactor | null = null): Promise<Io> {
  const key = io.env["EDGEWISE_API_KEY"]?.trim() ?? "";
  if (known === null && key === "") return io;
  const [{ Redactor }, { redactedIo }] = await Promise.all([import("../api/redact.js"), import("./redacted-io.js")]);
  const redactor = known ?? new Redactor();
  if (key !== "") redactor.add(key);
  return redactedIo(io, redactor);
}
