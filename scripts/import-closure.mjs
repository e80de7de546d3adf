import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/**
 * A file of dist/ and all that it imports statically, as absolute paths.
 * @param {string} dist absolute
 * @param {string} file relative to dist
 * @param {Set<string>} found gets them
 */
export function importClosure(dist, file, found = new Set()) {
  const path = join(dist, file);
  if (found.has(path)) return found;
  found.add(path);
  for (const [, imported] of readFileSync(path, "utf8").matchAll(
    /^(?:import|export)\s(?:[^;"]*?\sfrom\s)?"(\.[^"]+)"/gm,
  )) {
    importClosure(dist, relative(dist, join(dirname(path), imported)), found);
  }
  return found;
}
