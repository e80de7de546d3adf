import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

it("docs/live-services.md can be followed step by step, and shows what its commands print", () => {
  const script = fileURLToPath(new URL("../../../scripts/pages.mjs", import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [script, "--check", "docs/live-services.md"], {
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  expect(status).toBe(0);
});
