import type { GuardedIo } from "./guarded-io.js";
import { showError } from "./show-error.js";

/**
 * Shows an exception that nothing caught like every other bug: in short, masked, without a stack. Warnings of Node and
 * of packages are masked, too, and shown only where Node would show them.
 */
export function showUncaughtErrors(io: GuardedIo): void {
  const tell = async (thrown: unknown): Promise<never> => {
    // What was held back would be lost.
    io.release();
    try {
      return process.exit(await showError(thrown, {}, io));
    } catch {
      return process.exit(1);
    }
  };
  process.on("uncaughtException", (error) => void tell(error));
  // Node has a listener of its own, unless it was told to be silent; it writes to stderr past everybody else.
  if (process.listenerCount("warning") === 0) return;
  process.removeAllListeners("warning");
  process.on("warning", ({ name, message }) => io.stderr(`(node) ${name}: ${message}\n`));
}
