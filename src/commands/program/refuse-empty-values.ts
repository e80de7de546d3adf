import type { Command } from "commander";
import { EdgewiseError } from "../../errors.js";

/**
 * Refuses options and arguments that were given and hold nothing: that is what a shell variable that is not set leaves,
 * and `apply "$PLAN"` must not do something else than applying a plan.
 * @throws EdgewiseError `usage`
 */
export function refuseEmptyValues(command: Command): void {
  for (const option of command.options) {
    const value: unknown = command.getOptionValue(option.attributeName());
    if (isEmpty(value)) throw empty(option.long ?? option.flags);
  }
  for (const [index, argument] of command.processedArgs.entries()) {
    if (isEmpty(argument)) throw empty(`the argument ${command.registeredArguments[index]?.name() ?? ""}`);
  }
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isEmpty);
  return typeof value === "string" && value.trim() === "";
}

function empty(what: string): EdgewiseError {
  return new EdgewiseError("usage", `${what} is empty`, {
    remedy: "Give it a value, or leave it out. A shell variable that is not set gives an empty one.",
  });
}
