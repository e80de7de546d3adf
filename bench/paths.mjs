import { fileURLToPath } from "node:url";

/** A file of this repository. */
export function path(relative) {
  return fileURLToPath(new URL(`../${relative}`, import.meta.url));
}

export const cli = path("dist/bin/edgewise.js");
export const singleFile = path("dist/edgewise.mjs");
