import { mkdirSync } from "node:fs";
import { holdDirectory } from "./hold-directory.js";
import { unwritable, unwritableBecause } from "./unwritable.js";
import { writeTarget, type Workplace } from "./write-target.js";

/**
 * Makes a directory unless it is there. The one above it must exist: a mistyped path must not become a tree.
 * Links are followed as {@link writeTarget} says.
 * @throws EdgewiseError `io`
 */
export function makeDirectory(directory: string, place: Workplace): void {
  const target = writeTarget(directory, place);
  const { existing } = target;
  if (existing?.isDirectory() === true) return;
  if (existing !== null) throw unwritable(directory, "it is a file, not a directory", "Name a directory.");
  const held = holdDirectory(directory, target);
  try {
    mkdirSync(held.file);
  } catch (cause) {
    throw unwritableBecause(directory, cause);
  } finally {
    held.close();
  }
}
