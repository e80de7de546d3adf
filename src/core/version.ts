import { readFileSync } from "node:fs";
import { isObject } from "./json.js";

export const version: string = readVersion();

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  return isObject(manifest) && typeof manifest["version"] === "string" ? manifest["version"] : "0.0.0";
}

/** The commit that this was built from, which the build writes here; null outside of a checkout. */
export const buildCommit: string | null = null;

export const buildModified: boolean | null = null;
