import { readFileSync } from "node:fs";
import { isObject } from "./json.js";

/** The version of this package, as package.json gives it. */
export const version: string = readVersion();

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  return isObject(manifest) && typeof manifest["version"] === "string" ? manifest["version"] : "0.0.0";
}

/**
 * The full id of the commit that this program was built from: `npm run build` writes it into the built file. Null when it
 * was built outside of a Git checkout, or was not built.
 */
export const buildCommit: string | null = null;

/** Whether it was built from sources that differ from that commit; null like the commit. */
export const buildModified: boolean | null = null;
