import { copyFile, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Sandbox } from "../../src/sandbox/sandbox-options.ts";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import { done, ids, sandboxFor } from "./support.ts";

const backends = "/backends/http_response";

/** A data file that is too large to be written after each change. */
async function largeWorld(): Promise<{
  readonly directory: string;
  readonly dataFile: string;
  readonly sandbox: Sandbox;
}> {
  const directory = await mkdtemp(join(tmpdir(), "edgewise-journal-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const dataFile = join(directory, "world.json");
  const lists = { HTTPResponseBackend: [{ id: "bkdhr_large", body: "x".repeat(200_000), status_code: 200 }] };
  await writeFile(dataFile, JSON.stringify({ format: "edgewise.sandbox/v1", lists }));
  const sandbox = await startSandbox({ dataFile });
  onTestFinished(() => sandbox.close());
  return { directory, dataFile, sandbox };
}

/** What is on the disk now, as if the sandbox was killed; in a directory of its own. */
async function killed(dataFile: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "edgewise-journal-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const copy = join(directory, "world.json");
  await copyFile(dataFile, copy);
  await copyFile(`${dataFile}.journal`, `${copy}.journal`);
  return copy;
}

describe("the journal of a large data file", () => {
  it("holds what was confirmed since the file was written", async () => {
    const { dataFile, sandbox } = await largeWorld();
    await done(sandbox, "POST", backends, { status_code: 201 });
    const size = (await stat(dataFile)).ino;
    const second = ids([await done(sandbox, "POST", backends, { status_code: 202 })])[0];
    const third = ids([await done(sandbox, "POST", backends, { status_code: 203 })])[0];
    await done(sandbox, "PATCH", `${backends}/${second}`, { status_code: 204 });
    await done(sandbox, "DELETE", `${backends}/${third}`);
    await done(sandbox, "PUT", "/edges/https/e/tls_termination", {});
    // Each write of the file makes a new one.
    expect((await stat(dataFile)).ino).toBe(size);
    expect((await stat(`${dataFile}.journal`)).mode & 0o777).toBe(0o600);

    const again = await sandboxFor({ dataFile: await killed(dataFile) });
    const { lists, modules } = again.world();
    expect(lists.HTTPResponseBackend.map((each) => each["status_code"])).toEqual([204, 201, 200]);
    expect(modules).toEqual(sandbox.world().modules);
    // Addresses are those of the sandbox that serves them now.
    expect(JSON.stringify(lists.HTTPResponseBackend)).not.toContain(sandbox.baseUrl);
  });

  it.each([
    ["a line in its middle", 1],
    ["its first line", 0],
  ])("is refused when %s is damaged, instead of losing what was confirmed", async (_, damaged) => {
    const { dataFile, sandbox } = await largeWorld();
    for (const status_code of [201, 202, 203]) await done(sandbox, "POST", backends, { status_code });
    const copy = await killed(dataFile);
    const lines = (await readFile(`${copy}.journal`, "utf8")).split("\n");
    lines[damaged] = "damaged";
    await writeFile(`${copy}.journal`, lines.join("\n"));
    await expect(startSandbox({ dataFile: copy })).rejects.toMatchObject({
      code: "io",
      message: expect.stringContaining(`${copy}.journal can't be used: its line ${damaged + 1} `),
      remedy: expect.stringContaining("move it away"),
    });
  });
});
