import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { EdgewiseError } from "../core/errors.js";

export const configName = "edgewise.yaml";

/** Not below links, names that begin with a dot, `node_modules`, and other repositories: these belong to another pipeline. */
export async function findConfigurations(start: string): Promise<readonly string[]> {
  const found: string[] = [];
  const pending = [""];
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    const entries = await entriesOf(start, directory);
    if (directory !== "" && entries.some(({ name }) => name === ".git")) continue;
    for (const entry of entries) {
      const path = directory === "" ? entry.name : `${directory}/${entry.name}`;
      if (entry.isDirectory() && isEntered(entry.name)) pending.push(path);
      else if (entry.name === configName && !entry.isDirectory()) found.push(path);
    }
  }
  return found.sort();
}

/** Whether directories of that name are searched. */
export function isEntered(name: string): boolean {
  return !name.startsWith(".") && name !== "node_modules";
}

async function entriesOf(start: string, directory: string): Promise<readonly Dirent[]> {
  const path = join(start, directory);
  return readdir(path, { withFileTypes: true }).catch((cause: unknown) => {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
    throw new EdgewiseError("io", `the directory ${path} can't be searched for configurations (${code})`, {
      remedy: "Make it readable, or run this in a directory that does not contain it.",
      cause,
    });
  });
}
