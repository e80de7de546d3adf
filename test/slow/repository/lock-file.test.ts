import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../../repository/source-files.ts";

it.each(["package-lock.json", "docs/site/package-lock.json", "test/slow/package-lock.json"])(
  "the lock file names no host: %s",
  (file) => {
    expect(readFileSync(join(root, file), "utf8")).not.toMatch(/"resolved"|https?:\/\/[^"]*registry/);
  },
);
