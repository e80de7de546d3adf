import { readdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "../sandbox.mjs";

/**
 * Every page that a reader may follow, relative to the repository. The pages of commands are generated from the help, whose
 * examples a test parses.
 */
export function pageNames() {
  const inDirectory = (directory) =>
    readdirSync(join(root, directory), { recursive: true, encoding: "utf8" })
      .map((name) => `${directory}/${name.replaceAll("\\", "/")}`)
      .filter((name) => name.endsWith(".md") && !name.startsWith("docs/commands/"));
  return ["README.md", "CONTRIBUTING.md", "SECURITY.md", ...inDirectory("docs"), ...inDirectory("examples")].toSorted();
}
