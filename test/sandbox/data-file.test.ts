import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import { selfSigned } from "./certificates.ts";
import { done, ids, sandboxFor, send } from "./support.ts";

const backends = "/backends/http_response";

async function directory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "edgewise-sandbox-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

describe("a data file", () => {
  it("keeps the world, in its order, for the next sandbox", async () => {
    const dataFile = join(await directory(), "world.json");
    const first = await startSandbox({ dataFile });
    const made = [];
    for (let n = 0; n < 3; n++)
      made.unshift(
        await done(first, "POST", backends, { status_code: 200 + n, headers: { uri: `${first.baseUrl}/x` } }),
      );
    await done(first, "POST", "/ip_restrictions", { type: "api", ip_policy_ids: ["ipp_1"] });
    await done(first, "PUT", "/edges/https/e/tls_termination", {});
    await first.close();

    const second = await sandboxFor({ dataFile });
    expect(second.baseUrl).not.toBe(first.baseUrl);
    const { lists, modules } = second.world();
    expect(ids(lists.HTTPResponseBackend)).toEqual(ids(made));
    expect(lists.HTTPResponseBackend.map((each) => each["status_code"])).toEqual([202, 201, 200]);
    expect(modules).toEqual(first.world().modules);
    // Addresses move with the sandbox; headers are the user's own.
    expect(lists.HTTPResponseBackend[0]).toMatchObject({
      uri: `${second.baseUrl}${backends}/${ids(made)[0]}`,
      headers: { uri: `${first.baseUrl}/x` },
    });
    expect(JSON.stringify(lists.IPRestriction)).not.toContain(first.baseUrl);
  });

  it("holds no private key, is its owner's alone, and leaves nothing beside it", async () => {
    const path = await directory();
    const dataFile = join(path, "world.json");
    const { pem, key } = await selfSigned("a.example");
    const sandbox = await startSandbox({ dataFile });
    await done(sandbox, "POST", "/tls_certificates", { certificate_pem: pem, private_key_pem: key });
    await sandbox.close();
    const text = await readFile(dataFile, "utf8");
    expect(text).toContain("BEGIN CERTIFICATE");
    expect(text).not.toContain("PRIVATE KEY");
    expect(text).not.toContain(key.split("\n")[1]);
    expect(text).not.toContain(sandbox.apiKey);
    expect((await stat(dataFile)).mode & 0o777).toBe(0o600);
    expect(await readdir(path)).toEqual(["world.json"]);
  });

  it("may be written by hand, with as much as there is to say", async () => {
    const dataFile = join(await directory(), "world.json");
    const edge = { id: "edgtls_1", hostports: ["a.example:443"], surprise: true };
    await writeFile(dataFile, JSON.stringify({ format: "edgewise.sandbox/v1", lists: { TLSEdge: [edge] } }));
    const sandbox = await sandboxFor({ dataFile });
    expect(await done(sandbox, "GET", "/edges/tls/edgtls_1")).toEqual(edge);
  });

  it.each([
    ["{", "it is not JSON"],
    ['{"format":"edgewise.sandbox/v2"}', '"format"'],
    ['{"format":"edgewise.sandbox/v1","lists":{"Edge":[]}}', '"lists.Edge"'],
    ['{"format":"edgewise.sandbox/v1","lists":{"TLSEdge":[{"id":"a"},{"id":"a"}]}}', '"lists.TLSEdge[1]"'],
    ['{"format":"edgewise.sandbox/v1","lists":{},"modules":{"/edges/tls/x/mutual_tls":{}}}', "/edges/tls/x/mutual_tls"],
  ])("%s is refused, and why", async (text, why) => {
    const dataFile = join(await directory(), "world.json");
    await writeFile(dataFile, text);
    await expect(startSandbox({ dataFile })).rejects.toMatchObject({
      code: "io",
      message: expect.stringContaining(why),
    });
    expect(await readFile(dataFile, "utf8")).toBe(text);
  });

  it("that can't be written is told at once and at the end, and the sandbox serves on", async () => {
    const path = await directory();
    const dataFile = join(path, "gone", "world.json");
    await mkdir(join(path, "gone"));
    const errors: unknown[] = [];
    const sandbox = await startSandbox({ dataFile, onDataFileError: (error) => errors.push(error) });
    await rm(join(path, "gone"), { recursive: true });
    const refused = await send(sandbox, "POST", backends, { status_code: 200 });
    expect(refused).toMatchObject({ status: 500, body: { error_code: "ERR_EDGE_207" } });
    expect(errors).toHaveLength(1);
    await done(sandbox, "GET", backends);
    await expect(sandbox.close()).rejects.toMatchObject({ code: "io", message: expect.stringContaining(dataFile) });
  });
});
