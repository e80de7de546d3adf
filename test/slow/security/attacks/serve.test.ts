import { mkdir, readFile, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { json, startServer } from "../../../api/support/server.ts";
import { type Stage, stage } from "../../../commands/stage.ts";
import { seen } from "../support/canaries.ts";
import { git } from "../support/proposal.ts";

const secretPolicy = (token: string) => ({
  on_tcp_connect: [{ actions: [{ type: "log", config: { token, headers: { authorization: `Bearer ${token}` } } }] }],
});
const [desiredSecret, liveSecret] = ["C4n4ry-desired-zZ9", "C4n4ry-live-zZ9"];

const config = "apiVersion: edgewise/v1\nkind: Config\nstack: demo\nmanifests: [edge/]\n";

function edge(policy: unknown, name = "api"): string {
  const spec = { hostports: [`${name}.example.com:443`], traffic_policy: { value: policy } };
  return JSON.stringify({ apiVersion: "edgewise/v1", kind: "TLSEdge", metadata: { name }, spec });
}

interface Followed {
  readonly on: Stage;
  commit(files: { readonly [path: string]: string }): Promise<void>;
  once(...flags: readonly string[]): ReturnType<Stage["run"]>;
}

const operator = {
  token: "t0ken-135791113-Wq8Zr",
  hook: "h00k-246810121-Lm4Px",
  receiver: "rece1ver-99887766-Vb2Ny",
  stack: "st4ck-1029384756-Hd6Ks",
};

async function followed(more: { readonly [member: string]: unknown } = {}): Promise<Followed> {
  const on = await stage();
  const top = join(on.dir, "source");
  await mkdir(join(on.dir, "secrets"), { mode: 0o700 });
  git(on.dir, "init", "-q", "-b", "main", "source");
  const secrets = {
    key: on.sandbox.apiKey,
    token: operator.token,
    hook: operator.hook,
    "secrets/BODY": operator.stack,
  };
  for (const [name, text] of Object.entries(secrets)) await writeFile(join(on.dir, name), text, { mode: 0o600 });
  await writeFile(join(on.dir, "receiver"), `http://127.0.0.1:9/${operator.receiver}`, { mode: 0o600 });
  const fleet = {
    apiVersion: "edgewise/v1",
    kind: "Fleet",
    sources: { edge: { git: top, poll: "1s", hook: { secret: { file: "hook" } } } },
    accounts: { main: { baseUrl: on.sandbox.baseUrl, key: { file: "key" } } },
    stacks: { prod: { source: "edge", account: "main", secrets: "secrets" } },
    defaults: { apply: { commit: "never", drift: "never" } },
    http: { listen: "127.0.0.1:0", token: { file: "token" } },
    notify: [{ url: { file: "receiver" }, on: ["drift", "waiting", "failed"] }],
    ...more,
  };
  await on.write("fleet.yaml", JSON.stringify(fleet));
  return {
    on,
    commit: async (files) => {
      for (const [path, text] of Object.entries(files)) await on.write(join("source", path), text);
      git(top, "add", "-A");
      git(top, "commit", "-qm", "change");
    },
    once: (...flags) => on.run("serve", "fleet.yaml", "--once", ...flags),
  };
}

async function filesBelow(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return files.filter((file) => !file.includes("/objects/"));
}

async function everything(): Promise<ReadonlyMap<string, string>> {
  const { commit, on } = await followed();
  const live = JSON.stringify(secretPolicy(liveSecret));
  on.behind("POST", "/edges/tls", {
    hostports: ["api.example.com:443"],
    description: `${on.sandbox.apiKey} ${operator.stack} ${operator.token} ${operator.hook}`,
    metadata: '{"edgewise":{"stack":"demo","name":"api"}}',
    traffic_policy: { value: live },
  });
  const sourced = { on_tcp_connect: [{ actions: [{ type: "log", config: { body: { env: "BODY" } } }] }] };
  const other = edge(sourced, "other");
  await commit({ "edgewise.yaml": config, "edge/a.yaml": edge(secretPolicy(desiredSecret)), "edge/b.yaml": other });
  const { io, ran } = on.runWith({}, "serve", "fleet.yaml", "--log-format", "json", "-v");
  const found = new Map<string, string>();
  let url: string | undefined;
  while (url === undefined) {
    await pause(20);
    url = /"url":"(http[^"]+)"/u.exec(io.err())?.[1]?.replace(/\/$/u, "");
  }
  const ask = async (path: string): Promise<string> =>
    (await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${operator.token}` } })).text();
  while (!(await ask("/api/stacks/prod")).includes('"state":"waiting"')) {
    expect(io.err()).not.toContain('"level":"error"');
    await pause(50);
  }
  for (const path of pages) found.set(path, await ask(path));
  io.signal("SIGTERM");
  expect((await ran).exit).toBe(0);
  found.set("the log", io.out() + io.err());
  const texts = (await filesBelow(join(on.dir, ".edgewise-state"))).map(async (file) => readFile(file, "utf8"));
  found.set("the state directory", (await Promise.all(texts)).join("\n"));
  return found;
}

const pages = [
  "/",
  "/stacks/prod",
  "/api/stacks",
  "/api/stacks/prod",
  "/api/stacks/prod/history",
  "/api/stacks/prod/plan",
  "/metrics",
];
const outputs = [...pages, "the log", "the state directory"];
let known: Promise<ReadonlyMap<string, string>> | undefined;

describe("a repository that serve follows, or the service, holds secrets: no page, log or record shows them", () => {
  // No service is ever sent the token and the hook's secret: where they are answered they are masked all the same.
  const { hook: _hook, token: _token, ...sent } = operator;
  it.each(outputs)("%s", async (output) => {
    const text = (await (known ??= everything())).get(output) ?? "";
    const secrets = { ...(output === "the state directory" ? sent : operator), key: "key-of-the-stage" };
    const canaries = Object.entries({ ...secrets, desiredSecret, liveSecret }).map(([name, secret]) => ({
      name,
      secret,
    }));
    expect(text).not.toBe("");
    expect(seen(text, canaries)).toEqual([]);
  });

  it("what is not secret in them is shown", async () => {
    const text = (await (known ??= everything())).get("/api/stacks/prod/plan") ?? "";
    expect(text).toContain("on_tcp_connect");
    expect(text).toContain("(secret, env BODY)");
    const { changes } = JSON.parse(text);
    const fields = changes.flatMap((change: { fields: unknown[] }) => change.fields);
    expect(fields).toContainEqual(
      expect.objectContaining({ path: "spec.description", before: "(secret:API-key) (secret) (secret) (secret)" }),
    );
  });
});

describe("The environment of serve has settings of edgewise → they count for nothing", () => {
  it("whatever they say", async () => {
    const elsewhere = await startServer((__, response) => json(response, 200, {}));
    onTestFinished(() => elsewhere.close());
    const { commit, on, once } = await followed({ notify: [] });
    await commit({ "edgewise.yaml": config, "edge/a.yaml": edge({}) });
    for (const name of ["STACK", "ENVIRONMENT", "CONFIG", "VERSION_HEADER", "API_KEY", "VAR_X"])
      on.env[`EDGEWISE_${name}`] = name === "STACK" ? "" : "elsewhere";
    on.env["EDGEWISE_BASE_URL"] = elsewhere.baseUrl;
    const { exit, out } = await once("-o", "json");
    expect(exit).toBe(2);
    expect(JSON.parse(out).stacks).toMatchObject([{ name: "prod", state: "waiting" }]);
    expect(elsewhere.seen).toEqual([]);
    expect(on.sandbox.requests().total).toBeGreaterThan(0);
  });
});

describe("A result can't be written where the pipeline wants it → serve and unlock don't begin", () => {
  it("serve --once applies nothing", async () => {
    const { commit, on, once } = await followed({ defaults: { apply: { commit: "security", drift: "never" } } });
    await commit({ "edgewise.yaml": config, "edge/a.yaml": edge({ on_tcp_connect: [] }) });
    await symlink("/nowhere/at/all", join(on.dir, "result"));
    const { exit, err } = await once("--output-file", "result");
    expect(exit).toBe(1);
    expect(err).toContain("result can't be written");
    expect(on.writes()).toBe(0);
  });
});
