import { posix } from "node:path";
import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import type { FleetEntry, FleetPlace, StackTarget } from "./fleet.js";

/** The place of something in the fleet file: `fleet.yaml:8:3`. */
export function placeText({ file, line, column }: FleetPlace): string {
  return `${file}:${line}:${column}`;
}

/** An entry and its place, as messages name them: `stacks.prod (fleet.yaml:8:3)`. */
export function lineOf({ name, place }: Pick<FleetEntry, "name" | "place">): string {
  return `stacks.${name} (${placeText(place)})`;
}

/**
 * What a manifest's problem means under `serve`: advice that needs a flag, the environment or another directory becomes
 * the line of the fleet file that would help. Its file becomes relative to the source's top.
 */
export function underFleet(
  diagnostic: Diagnostic,
  { config, entry }: Pick<StackTarget, "config" | "entry">,
): Diagnostic {
  const remedy = remedies[diagnostic.code]?.(config, lineOf(entry)) ?? diagnostic.remedy;
  return { ...diagnostic, remedy, file: posix.join(posix.dirname(config), diagnostic.file) };
}

const remedies: { readonly [code: string]: (config: string, line: string) => string } = {
  "variable-unset": (config, line) =>
    `serve gives manifests no environment variables. Write \${{ vars.NAME }}, with a value under \`variables\` in ${config} or in ${line}.`,
  "file-outside": (config, line) =>
    `Move the file below the directory of ${config}, or have \`config\` in ${line} name a configuration further up.`,
};
