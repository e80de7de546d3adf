import { execFile } from "node:child_process";
import { cp, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { folder } from "../config/folder.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../", import.meta.url));

describe("npm run generate", () => {
  it("has nothing to do in what is committed", async () => {
    const { stderr } = await run(process.execPath, [join(root, "scripts/generate.mjs"), "--check"]);
    expect(stderr).toBe("");
  });

  it("sees a schema that was changed, an output that was edited, and one that is left over", async () => {
    const copy = await folder({ "package.json": '{"type":"module"}' });
    for (const part of ["schemas", "scripts", "src/generated"])
      await cp(join(root, part), join(copy, part), { recursive: true });
    await symlink(join(root, "node_modules"), join(copy, "node_modules"));
    const schema = join(copy, "schemas/plan.schema.json");
    await writeFile(schema, (await readFile(schema, "utf8")).replace('"stack"', '"pile"'));
    await writeFile(join(copy, "src/generated/config-types.ts"), "");
    await writeFile(join(copy, "src/generated/left-over.ts"), "");
    const check = run(process.execPath, [join(copy, "scripts/generate.mjs"), "--check"]);
    await expect(check).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /config-types\.ts is stale[\s\S]*plan-validator\.ts is stale[\s\S]*left-over\.ts is stale|plan-validator\.ts is stale[\s\S]*config-types\.ts is stale[\s\S]*left-over\.ts is stale/,
      ),
    });
  });

  it("leaves no require in what is loaded as ES modules", async () => {
    for (const name of ["manifest", "plan"]) {
      const file = join(root, `src/generated/${name === "plan" ? "plan-validator" : "manifest-validators"}.ts`);
      expect(await readFile(file, "utf8")).not.toMatch(/\brequire\(/);
    }
  });
});
