import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { run } from "../../../src/commands/run.ts";
import type { Json } from "../../../src/core/json.ts";
import type { WorldSeed } from "../../../src/model/world-seed.ts";
import type { Seen } from "../../api/support/server.ts";
import { memoryIo } from "../../commands/memory-io.ts";
import { type Canary, seen } from "./support/canaries.ts";
import { type HostileService, type Mischief, echo, hostileService, plainly } from "./support/hostile-service.ts";
import { pair } from "./support/rich-manifests.ts";
import { part } from "../../support/runs.ts";

// Waits take no time, because this test is not about retries.
vi.mock("../../../src/api/system-clock.ts", () => {
  let now = 1_700_000_000_000;
  return {
    systemClock: {
      now: () => now,
      sleep: async (ms: number): Promise<void> => {
        now += ms;
        await new Promise((resolve) => setImmediate(resolve));
      },
    },
  };
});

const apiKey = "ak_C4n4ry/7+9==~\"Lk&<x>'%41z";
const hook = 'whsec "C4n4ry/desired"+&<é>\\ 77';
const liveHook = 'whsec "C4n4ry/live"+&<ü>\\ 99';
const inline = "inline/C4n4ry+secret&0123456789";
const canaries: readonly Canary[] = [
  { name: "API key", secret: apiKey },
  { name: "private key", secret: pair.key },
  { name: "desired webhook secret", secret: hook },
  { name: "live webhook secret", secret: liveHook },
  { name: "inline secret", secret: inline },
];

const manifests = `apiVersion: edgewise/v1
kind: TLSCertificate
metadata: {name: www}
spec: {certificate_pem: {file: chain.pem}, private_key_pem: {env: CERT_KEY}}
---
apiVersion: edgewise/v1
kind: HTTPResponseBackend
metadata: {name: down}
spec: {status_code: 503, body: new}
---
apiVersion: edgewise/v1
kind: TLSEdge
metadata: {name: api}
spec: {hostports: ["api.example.com:443"], backend: {backend: {name: down}}}
---
apiVersion: edgewise/v1
kind: HTTPSEdgeRoute
metadata: {name: hooks, id: edghtsrt_1}
spec: {edge: {id: edghts_1}, webhook_verification: {provider: GITHUB, secret: {env: HOOK}}}
---
apiVersion: edgewise/v1
kind: HTTPSEdgeRoute
metadata: {name: inline, id: edghtsrt_2}
spec: {edge: {id: edghts_1}, webhook_verification: {provider: SLACK, secret: "${inline}"}}
`;

const routes = "/edges/https/edghts_1/routes";

const seed: WorldSeed = {
  lists: {
    HTTPResponseBackend: [
      { id: "bkdhr_1", uri: "", metadata: '{"edgewise":{"stack":"demo","name":"down"}}', status_code: 503 },
      { id: "bkdhr_2", uri: "", metadata: '{"edgewise":{"stack":"demo","name":"gone"}}', status_code: 503, body: "x" },
      { id: "bkdhr_3", uri: "", description: "somebody's", status_code: 503, body: "x" },
    ],
  },
  modules: {
    [`${routes}/edghtsrt_1/webhook_verification`]: { enabled: true, provider: "GITHUB", secret: liveHook },
  },
};

const isWrite = ({ method }: Seen): boolean => method !== "GET";
const isRead = ({ method }: Seen): boolean => method === "GET";
const isList = ({ method, url }: Seen): boolean => method === "GET" && !url.includes("webhook");

const error =
  (status: number): Mischief["answer"] =>
  (request) => {
    const said = echo(request);
    const body = { error_code: said, status_code: status, msg: said, details: { operation_id: said } };
    return plainly({ status, body });
  };

const mischiefs: readonly Mischief[] = [
  ...[400, 500].flatMap((status) => [
    { name: `${status} to writes, with everything in it`, at: isWrite, answer: error(status) },
    { name: `${status} to reads, with everything in it`, at: isRead, answer: error(status) },
  ]),
  {
    name: "a redirect",
    at: () => true,
    answer: (request) => ({
      status: 302,
      body: echo(request),
      headers: { location: `https://evil.example/?k=${encodeURIComponent(echo(request))}` },
    }),
  },
  {
    name: "lists that hold the key",
    at: isList,
    answer: (_, right) => plainly({ ...right, body: withKey(right.body) }),
  },
  {
    name: "write answers with the secret everywhere",
    at: isWrite,
    answer: (request, right) =>
      plainly({
        ...right,
        body: {
          ...(right.body as object),
          description: echo(request),
          body: echo(request),
          provider: echo(request),
          secret: { nested: [echo(request)] },
        },
      }),
  },
  {
    name: "modules with other secrets",
    at: ({ url, method }) => method === "GET" && url.includes("webhook"),
    answer: () =>
      plainly({ status: 200, body: { enabled: true, provider: "GITHUB", secret: { deep: [liveHook], at: liveHook } } }),
  },
];

function withKey(body: Json): Json {
  if (Array.isArray(body)) return body.map((item: Json) => withKey(item));
  if (typeof body !== "object" || body === null) return body;
  const members = Object.entries(body).map(([name, value]): [string, Json] => {
    if (name === "body" || name === "description") return [name, `it is ${apiKey} and ${"long ".repeat(12)}${apiKey}`];
    return [name, withKey(value ?? null)];
  });
  return Object.fromEntries(members);
}

let service: HostileService;
let dir = "";
let env: { readonly [name: string]: string } = {};

beforeAll(async () => {
  service = await hostileService();
  dir = await mkdtemp(join(tmpdir(), "edgewise-canary-"));
  await mkdir(join(dir, "out"));
  await write("edgewise.yaml", "apiVersion: edgewise/v1\nkind: Config\nstack: demo\nmanifests: [edge/]\n");
  await write("edge/chain.pem", pair.certificate);
  await write("edge/all.yaml", manifests);
  env = { EDGEWISE_API_KEY: apiKey, EDGEWISE_BASE_URL: service.baseUrl, CERT_KEY: pair.key, HOOK: hook };
});

afterAll(async () => {
  await service.close();
  await rm(dir, { recursive: true, force: true });
});

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(dir, path)), { recursive: true });
  await writeFile(join(dir, path), text);
}

const read = (path: string): Promise<string> => readFile(join(dir, path), "utf8").catch(() => "");

const commands: readonly (readonly string[])[] = [
  ...["text", "json", "markdown", "html", "github", "gitlab"].map((format) => ["plan", "-o", format]),
  ...["text", "json", "junit"].map((format) => ["drift", "--unmanaged", "-o", format]),
  ...["text", "json", "markdown"].map((format) => ["apply", "-y", "-o", format]),
  ["destroy", "-y", "--max-deletes", "100%"],
  ["pull", "-y"],
  ["export", "--all"],
  ["ping"],
  ["list"],
];

const voices: readonly (readonly string[])[] = [[], ["-q"], ["-v"], ["-v", "--log-format", "json"]];

const inlineToo = (command: string): readonly string[] =>
  ["plan", "drift", "pull", "apply"].includes(command) ? ["--allow-inline-secrets"] : [];

async function shown(args: readonly string[]): Promise<{ readonly text: string; readonly exit: number }> {
  const files = ["out/result", "out/plan", "out/journal"];
  for (const file of files) await rm(join(dir, file), { force: true });
  const io = memoryIo({ cwd: dir, env });
  const exit = await run(args, io);
  const written = await Promise.all(files.map(read));
  return { text: [io.out(), io.err(), ...written].join("\n"), exit };
}

function filesOf(command: string, index: number): readonly string[] {
  return [
    ...(index % 3 === 0 ? ["--output-file", "out/result"] : []),
    ...(command === "plan" || command === "destroy" || command === "apply" ? ["--out", "out/plan"] : []),
    ...(command === "apply" || command === "destroy" ? ["--journal", "out/journal"] : []),
  ];
}

describe("no secret is shown", () => {
  it.each(commands.map((command) => [command.join(" "), command] as const))(
    "%s, when all is well",
    async (_, command) => {
      for (const [index, voice] of part([...voices.entries()], commands.indexOf(command), 2)) {
        service.begin(seed, null);
        const name = command[0] ?? "";
        const args = [...command, ...voice, ...inlineToo(name), ...filesOf(name, index)];
        const { text, exit } = await shown(args);
        expect(seen(text, canaries), args.join(" ")).toEqual([]);
        expect([0, 2], args.join(" ") + text).toContain(exit);
        if (name === "apply") expect(service.bodies().join("")).toContain(JSON.stringify(hook).slice(1, -1));
      }
    },
  );

  it.each(mischiefs.map((mischief) => [mischief.name, mischief] as const))("%s", async (_, mischief) => {
    const turn = mischiefs.indexOf(mischief);
    for (const [index, command] of part([...commands.entries()], turn, 4)) {
      service.begin(seed, mischief);
      const name = command[0] ?? "";
      const voice = voices[(index + (turn >> 2)) % voices.length] ?? [];
      const args = [...command, ...voice, ...inlineToo(name), ...filesOf(name, index)];
      const { text } = await shown(args);
      expect(text.trim(), args.join(" ")).not.toBe("");
      expect(seen(text, canaries), `${args.join(" ")}\n${text}`).toEqual([]);
      expect(text, args.join(" ")).not.toContain("bug in edgewise");
    }
  });

  it("when somebody put the API key into a manifest, which is refused", async () => {
    await write("edge/extra.yaml", `# ${apiKey}\n`);
    onTestFinished(() => rm(join(dir, "edge/extra.yaml")));
    for (const args of [["validate"], ["plan", "-v", "--out", "out/plan"]]) {
      service.begin(seed, null);
      const { text, exit } = await shown([...args, "--allow-inline-secrets"]);
      expect(seen(text, canaries), `${args.join(" ")}\n${text}`).toEqual([]);
      expect({ exit, text }).toMatchObject({ exit: 1, text: expect.stringContaining("holds the API key") });
    }
  });

  it.each([
    ["show", "out/kept"],
    ["validate", "-o", "github", "--allow-inline-secrets"],
  ])("%s %s %s %s", async (...args) => {
    service.begin(seed, null);
    await shown(["plan", "--allow-inline-secrets", "--out", "out/kept"]);
    expect(seen(await read("out/kept"), canaries)).toEqual([]);
    const { text, exit } = await shown(args);
    expect(exit).toBe(0);
    expect(seen(text, canaries)).toEqual([]);
  });
});
