import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { editorSchemaTexts } from "../../src/generated/editor-schemas.ts";
import { stage } from "./stage.ts";

const files = Object.keys(editorSchemaTexts);
const directory = ".edgewise/schemas";

describe("schema --out", () => {
  it("writes the schemas, and then keeps them", async () => {
    const { run } = await stage();
    const written = (what: string) => files.map((file) => `${what} ${directory}/${file}\n`).join("");
    expect(await run("schema", "--out", directory)).toMatchObject({ exit: 0, out: written("wrote  ") });
    expect((await run("schema", "--out", directory)).out).toBe(written("kept   "));
  });

  it("replaces no file of others", async () => {
    const { run, read, write, dir } = await stage();
    await write(`${directory}/config.schema.json`, '{"mine": true}');
    const refused = await run("schema", "--out", directory);
    expect({ exit: refused.exit, err: refused.err }).toEqual({
      exit: 1,
      err: expect.stringContaining(`nothing was written: edgewise did not write ${directory}/config.schema.json`),
    });
    expect(await readdir(join(dir, directory))).toEqual(["config.schema.json"]);
    expect(await read(`${directory}/config.schema.json`)).toBe('{"mine": true}');
    await rm(join(dir, directory), { recursive: true });
    await run("schema", "--out", directory);
    // Git on Windows changes the ends of lines.
    await write(
      `${directory}/config.schema.json`,
      (await read(`${directory}/config.schema.json`)).replaceAll("\n", "\r\n"),
    );
    expect((await run("schema", "--out", directory)).out).toContain("renewed .edgewise/schemas/config.schema.json");
  });
});
