import { join, relative } from "node:path";
import { markdownFiles } from "../check-links.mjs";
import { root } from "../sandbox.mjs";

/**
 * Every page that a reader may follow, relative to the repository. The pages of commands are generated from the help, whose
 * examples a test parses. Packages that the site of the documents was built with have pages, too: those are not ours to run.
 * @param {string} repository
 */
export function pageNames(repository = root) {
  const inDirectory = (directory) =>
    markdownFiles(join(repository, directory))
      .map((path) => relative(repository, path).replaceAll("\\", "/"))
      .filter((name) => !name.startsWith("docs/commands/"));
  return ["README.md", "CONTRIBUTING.md", "SECURITY.md", ...inDirectory("docs"), ...inDirectory("examples")].toSorted();
}
