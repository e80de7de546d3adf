import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createClient } from "../../../src/api/create-client.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import { clientOptions } from "../../../src/index.ts";
import { cli, said, sandboxProcess, start, temporary } from "../../support/cli.ts";

interface Account {
  readonly cwd: string;
  readonly env: { readonly [name: string]: string };
  readonly backends: () => Promise<readonly JsonObject[]>;
}

async function configure(cwd: string, settle: string): Promise<void> {
  await writeFile(
    join(cwd, "edgewise.yaml"),
    `apiVersion: edgewise/v1\nkind: Config\nstack: demo\nmanifests: [a.yaml]\nlock: {settle: ${settle}}\n`,
  );
}

async function account(settle = "300ms"): Promise<Account> {
  const cwd = await temporary();
  const env = await sandboxProcess();
  await configure(cwd, settle);
  const manifests = [1, 2, 3].map(
    (each) =>
      `apiVersion: edgewise/v1\nkind: HTTPResponseBackend\nmetadata: {name: b${each}}\nspec: {status_code: 503}\n---\n`,
  );
  await writeFile(join(cwd, "a.yaml"), manifests.join(""));
  const { EDGEWISE_API_KEY: apiKey = "", EDGEWISE_BASE_URL: baseUrl = "" } = env;
  return {
    cwd,
    env,
    backends: async () => {
      const client = createClient(clientOptions({ baseUrl, apiKey }));
      const list = await client.list({ path: "/backends/http_response", member: "backends" });
      await client.close();
      return list;
    },
  };
}

it("two applies at once on an empty account make everything once, and both succeed", async () => {
  const { cwd, env, backends } = await account();
  const ended = await Promise.all([cli(["apply", "-y"], { cwd, env }), cli(["apply", "-y"], { cwd, env })]);
  for (const { exit, err } of ended) expect(exit, err).toBe(0);
  expect(await backends()).toHaveLength(3);
});

it("an apply that was killed leaves a lock that keeps others out until unlock removes it", async () => {
  // It waits for so long with its lock in the account: it is killed long before that.
  const { cwd, env, backends } = await account("10m");
  const { child, ended } = start(["apply", "-y"], { cwd, env });
  child.stdin.end();
  const isLocked = async (): Promise<boolean> =>
    (await backends()).some(({ metadata }) => String(metadata).includes('"lock":true'));
  while (!(await isLocked())) continue;
  child.kill("SIGKILL");
  await ended;
  await configure(cwd, "300ms");
  const blocked = await cli(["apply", "-y", "--lock-timeout", "0s", "-o", "json"], { cwd, env });
  expect(blocked.exit, blocked.err).toBe(4);
  expect(JSON.parse(blocked.out).refusals).toMatchObject([{ code: "locked" }]);
  expect(await cli(["unlock", "-y"], { cwd, env })).toMatchObject({ exit: 0 });
  const { exit, err } = await cli(["apply", "-y"], { cwd, env });
  expect(exit, err).toBe(0);
  expect(await isLocked()).toBe(false);
});

it("a signal while it waits, and while its lock settles, removes the lock and exits 130", async () => {
  const { cwd, env, backends } = await account("10m");
  for (const when of ["Taking", "Waiting"]) {
    const client = createClient(
      clientOptions({ baseUrl: env["EDGEWISE_BASE_URL"] ?? "", apiKey: env["EDGEWISE_API_KEY"] ?? "" }),
    );
    if (when === "Waiting") {
      const edgewise = { lock: true, stack: "x", run: "r", by: "ann", until: "2999-01-01T00:00:00Z" };
      const body = { status_code: 503, metadata: JSON.stringify({ edgewise }) };
      await client.send({ method: "POST", path: "/backends/http_response", body });
    }
    await client.close();
    const { child, ended } = start(["apply", "-y"], { cwd, env });
    child.stdin.end();
    await said(child, new RegExp(when, "u"));
    // While it takes the lock, or when it has it and waits until everybody can see it.
    if (when === "Taking") await new Promise((resolve) => setTimeout(resolve, 200));
    child.kill("SIGTERM");
    const { exit, err } = await ended;
    expect(exit, err).toBe(130);
  }
  const left = (await backends()).map(({ metadata }) => String(metadata));
  expect(left).toHaveLength(1);
  expect(left[0]).toContain('"ann"');
});
