import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { editorSchemaFiles } from "../../src/schema/editor-schemas.ts";
import { backend, edge, stage } from "./stage.ts";

const files = Object.values(editorSchemaFiles);
const directory = ".edgewise/schemas";

/** The lists of names in a schema. */
async function namesIn(text: Promise<string>): Promise<{ readonly [list: string]: readonly string[] }> {
  const { definitions = {} }: { definitions?: { [list: string]: { enum?: readonly string[] } } } = JSON.parse(
    await text,
  );
  return Object.fromEntries(
    Object.entries(definitions).flatMap(([list, schema]) => (schema.enum === undefined ? [] : [[list, schema.enum]])),
  );
}

describe("schema --out", () => {
  it("writes the schemas with the names in the manifests, and then keeps them", async () => {
    const { run, read, write } = await stage();
    await write("edge/b.yaml", backend("zero") + backend("page") + edge("api", "a.example.com:443"));
    const { exit, out } = await run("schema", "--out", directory);
    expect({ exit, out }).toEqual({ exit: 0, out: files.map((file) => `wrote   ${directory}/${file}\n`).join("") });
    expect(await namesIn(read(`${directory}/manifest.schema.json`))).toEqual({ HTTPResponseBackend: ["page", "zero"] });
    expect(await namesIn(read(`${directory}/config.schema.json`))).toEqual({
      addresses: ["HTTPResponseBackend/page", "HTTPResponseBackend/zero", "TLSEdge/api"],
    });
    expect((await run("schema", "--out", directory)).out).not.toMatch(/wrote|renewed/);
    await write("edge/c.yaml", backend("new"));
    expect((await run("schema", "--out", directory)).out).toBe(
      files.map((file) => `${/manifest|config/.test(file) ? "renewed" : "kept   "} ${directory}/${file}\n`).join(""),
    );
    expect((await namesIn(read(`${directory}/config.schema.json`)))["addresses"]).toContain("HTTPResponseBackend/new");
  });

  it("replaces no file of others", async () => {
    const { run, read, write, dir } = await stage();
    await write(`${directory}/config.schema.json`, '{"mine": true}');
    const refused = await run("schema", "--out", directory);
    expect({ exit: refused.exit, err: refused.err }).toEqual({
      exit: 1,
      err: expect.stringContaining(
        `nothing was written, because edgewise did not write these files: ${directory}/config.schema.json`,
      ),
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
