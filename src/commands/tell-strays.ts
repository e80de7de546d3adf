import type { Io } from "./io.js";
import { maskedForErrors } from "./masked-for-errors.js";
import { showError } from "./show-error.js";

/** Tells an exception that nobody was there to catch like every other bug: in short, without the key, without a stack. */
export function tellStrays(io: Io): void {
  const tell = async (error: unknown): Promise<never> => {
    const exit = await showError(error, {}, await maskedForErrors(io));
    return process.exit(exit);
  };
  process.on("uncaughtException", (error) => void tell(error));
}
