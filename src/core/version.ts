import { readFileSync } from "node:fs";

const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  readonly version: string;
};

export const { version } = manifest;

/** The commit that this was built from, which the build writes here; null outside of a checkout. */
export const buildCommit: string | null = null;

export const buildModified: boolean | null = null;
