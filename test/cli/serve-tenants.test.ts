import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, readdir, symlink, writeFile } from "node:fs/promises";
import { type Server, createServer } from "node:http";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { cli, sandboxProcess, temporary } from "../support/cli.ts";

const backend = (name: string, more = "") =>
  `apiVersion: edgewise/v1\nkind: HTTPResponseBackend\nmetadata: {name: ${name}}\nspec:\n  status_code: 503\n${more}`;

const edge = (secret: string) =>
  `apiVersion: edgewise/v1
kind: TLSEdge
metadata: {name: e}
spec:
  hostports: ["tenant.example.com:443"]
  traffic_policy:
    value:
      on_tcp_connect:
        - actions: [{type: webhook-verification, config: {provider: slack, secret: ${secret}}}]
`;

interface Tenant {
  readonly config?: string;
  readonly manifest?: string;
  readonly links?: { readonly [name: string]: string };
  readonly told: RegExp | null;
}

async function collector(): Promise<{ readonly url: string; readonly asked: string[] }> {
  const asked: string[] = [];
  const server: Server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
    response.end("{}");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`, asked };
}

const line = /stacks\.t \(fleet\.yaml:9:3\)/u;

describe("tenants of edgewise serve", () => {
  it("get nothing that is not theirs, and harm nobody", async () => {
    const dir = await temporary();
    const { EDGEWISE_BASE_URL: baseUrl = "", EDGEWISE_API_KEY: key = "" } = await sandboxProcess();
    const evil = await collector();
    const tenants: { readonly [name: string]: Tenant } = {
      address: { config: `api: {baseUrl: "${evil.url}"}`, told: /api.baseUrl is not what accounts/u },
      header: { config: "api: {versionHeader: Authorization}", told: /api\.versionHeader is not/u },
      modules: { config: "api: {moduleEndpoints: [backend]}", told: /api\.moduleEndpoints is not what accounts/u },
      rate: { config: "api: {requestsPerMinute: 100000}", told: /requestsPerMinute is not/u },
      guards: { config: 'guards: {maxDeletes: "100%"}', told: line },
      lifts: { config: "guards: {allow: [TLSEdge/e]}", told: line },
      lock: { config: "lock: {settle: 24h}", told: /lock\.settle is longer than 30s/u },
      heir: { config: "previousStacks: [t-victim]", told: line },
      // The fleet names the marker: what the configuration says is no power, and nothing of the victim's is touched.
      marker: { config: "stack: t-victim", told: null },
      adopts: { config: "adopt: {HTTPResponseBackend/m: bkdhr_1}", told: line },
      claims: { manifest: backend("m, id: bkdhr_1"), told: line },
      forged: {
        manifest: backend("m", `  metadata: '{"edgewise":{"stack":"t-victim","name":"v"}}'\n`),
        told: /reserved for the marker/u,
      },
      above: { manifest: edge("{file: ../victim/token}"), told: line },
      absolute: { manifest: edge(`{file: ${join(dir, "operator")}}`), told: line },
      process: { manifest: edge("{env: OPERATORS}"), told: /needs a secret that can't be read/u },
      apikey: { manifest: edge("{env: EDGEWISE_API_KEY}"), told: /names the API key/u },
      linked: { manifest: edge("{env: linked}"), told: /needs a secret that can't be read/u },
      outside: { links: { "m.yaml": "/etc/passwd" }, told: /leads out of the root directory/u },
      beside: { links: { "m.yaml": "../victim/m.yaml" }, told: /leads out of the root directory/u },
      bomb: {
        manifest: `a: &a [${"x,".repeat(90)}]\nb: &b [${"*a,".repeat(90)}]\nc: [${"*b,".repeat(90)}]\n`,
        told: /aliases/u,
      },
      victim: { told: null },
    };
    const put = async (path: string, text: string): Promise<void> => {
      await mkdir(dirname(join(dir, path)), { recursive: true });
      await writeFile(join(dir, path), text, { mode: 0o600 });
    };
    for (const [name, { config = "", manifest, links = {} }] of Object.entries(tenants)) {
      await put(
        `repo/tenants/${name}/edgewise.yaml`,
        `apiVersion: edgewise/v1\nkind: Config\nmanifests: [m.yaml]\n${config}\n`,
      );
      if (links["m.yaml"] === undefined) await put(`repo/tenants/${name}/m.yaml`, manifest ?? backend("m"));
      for (const [link, target] of Object.entries(links)) await symlink(target, join(dir, "repo/tenants", name, link));
      await mkdir(join(dir, "secrets", name), { recursive: true });
    }
    await put("key", key);
    await put("operator", "OPERATOR-SECRET-1");
    await put("secrets/victim/token", "VICTIM-SECRET-1");
    await symlink("../victim/token", join(dir, "secrets/linked/linked"));
    const git = (...args: readonly string[]): string =>
      execFileSync("git", ["-C", join(dir, "repo"), "-c", "user.name=a", "-c", "user.email=a@example.com", ...args], {
        encoding: "utf8",
      });
    git("init", "-q", "-b", "main");
    git("add", "-A");
    git("commit", "-qm", "tenants");
    await put(
      "fleet.yaml",
      `apiVersion: edgewise/v1
kind: Fleet
sources:
  edge: {git: ./repo}
accounts:
  main: {baseUrl: "${baseUrl}", key: {file: key}}
stacks:
  # Each tenant has a directory of its own.
  t: {source: edge, configs: "tenants/*/edgewise.yaml", stack: "t-*", secrets: "secrets/*", account: main}
http: {listen: "127.0.0.1:0"}
`,
    );
    const env = { OPERATORS: "OPERATOR-SECRET-2", EDGEWISE_API_KEY: "OPERATOR-SECRET-3", EDGEWISE_BASE_URL: evil.url };
    const { exit, out, err } = await cli(
      ["serve", "fleet.yaml", "--once", "-o", "json", "--log-format", "json", "-v"],
      {
        cwd: dir,
        env,
      },
    );
    expect(exit, err).toBe(3);
    const { stacks } = JSON.parse(out) as { stacks: { name: string; state: string; message: string }[] };
    for (const { name, state, message } of stacks) {
      const { told } = tenants[name.slice(2)] ?? { told: null };
      if (told === null) expect([name, state]).toEqual([name, "synced"]);
      else {
        expect([name, state === "failed" || state === "waiting"]).toEqual([name, true]);
        expect(message, name).toMatch(told);
      }
    }
    expect(stacks).toHaveLength(Object.keys(tenants).length);
    expect(evil.asked).toEqual([]);
    const state = join(dir, ".edgewise-state");
    const kept = (await readdir(state, { recursive: true, withFileTypes: true })).filter((each) => each.isFile());
    const texts = await Promise.all(kept.map((each) => readFile(join(each.parentPath, each.name), "latin1")));
    for (const text of [out, err, ...texts])
      for (const secret of [key, "OPERATOR-SECRET", "VICTIM-SECRET", "root:x:"])
        expect(text.includes(secret)).toBe(false);
  });
});
