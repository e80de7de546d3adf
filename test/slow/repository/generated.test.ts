import { execFile } from "node:child_process";
import { cp, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { kindNames } from "../../../src/kinds/names.ts";
import { folder } from "../../config/folder.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../../", import.meta.url));

describe("npm run generate", () => {
  it("sees a list of kinds and a schema that were changed, an output that was edited, and one that is left over", async () => {
    const copy = await copyOfGenerator();
    const schema = join(copy, "schemas/config.schema.json");
    await writeFile(schema, (await readFile(schema, "utf8")).replace('"stack"', '"pile"'));
    await writeFile(join(copy, "src/generated/manifest-types.ts"), "");
    await writeFile(join(copy, "src/generated/left-over.ts"), "");
    const definitions = join(copy, "schemas/definitions.schema.json");
    await writeFile(
      definitions,
      (await readFile(definitions, "utf8")).replace(`(${kindNames.join("|")})`, `(${kindNames[0]})`),
    );
    const check = run(process.execPath, [join(copy, "scripts/generate.mjs"), "--check"]).catch(
      (error: unknown) => error,
    );
    const { code, stderr } = (await check) as { readonly code: number; readonly stderr: string };
    expect(code).toBe(1);
    const generated = ["config-members", "config-types", "left-over", "manifest-types"];
    expect(stderr.trimEnd().split("\n").toSorted()).toEqual(
      ["schemas/definitions.schema.json", ...generated.map((name) => `src/generated/${name}.ts`)].map(
        (file) => `${file} is stale: run npm run generate`,
      ),
    );
  });
});

/** The schemas, the registry and the scripts, with what they generated, in a folder of their own. */
async function copyOfGenerator(): Promise<string> {
  const copy = await folder({ "package.json": '{"type":"module"}' });
  for (const part of ["examples/ci", "schemas", "scripts", "src"])
    await cp(join(root, part), join(copy, part), { recursive: true });
  await symlink(join(root, "node_modules"), join(copy, "node_modules"));
  return copy;
}
