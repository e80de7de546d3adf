import { readFileSync } from "node:fs";

const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  readonly version: string;
};

export const { version } = manifest;

/** The build writes these here. */
export const buildCommit: string | null = null;

export const buildModified: boolean | null = null;
