import { withoutSlashes } from "../core/text.js";
import { programDirectory } from "./vendored-program.js";

/** Where the schemas for editors are, at the top of a repository. */
export const schemaDirectory = `${programDirectory}/schemas`;

/** VS Code's settings, in the directory that VS Code has open. */
export const settingsPath = ".vscode/settings.json";

/** The comment that names the schema of the document below it, for language servers. */
export function schemaLine(path: string): string {
  return `# yaml-language-server: $schema=${path}`;
}

/**
 * The setting of VS Code that maps files to schemas. A line in a file does the same for the document below it, and for all
 * editors; the setting also covers documents without it.
 * @param patterns the configuration's
 */
export function editorMapping(patterns: readonly string[]): string {
  const globs = patterns.flatMap(globsOf);
  const schemas = {
    ...(globs.length === 0 ? {} : { [`${schemaDirectory}/manifest.schema.json`]: [...new Set(globs)] }),
    [`${schemaDirectory}/config.schema.json`]: "edgewise.yaml",
  };
  return JSON.stringify({ "yaml.schemas": schemas }, null, 2);
}

/** Patterns that may match the configuration or files of others are left out: there, documents need the line. */
function globsOf(pattern: string): readonly string[] {
  const path = withoutSlashes(pattern.replace(/^(?:\.\/+)+/, ""));
  if (path === "" || /^[./*?[{!]/.test(path)) return [];
  return /[*?[{]|\.ya?ml$/u.test(path) ? [path] : [`${path}/**/*.yaml`, `${path}/**/*.yml`];
}
