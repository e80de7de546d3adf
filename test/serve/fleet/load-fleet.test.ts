import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadFleet } from "../../../src/serve/fleet/load-fleet.ts";
import { windowsOf } from "../support/windows-of.ts";
import { folder } from "../../config/folder.ts";
import { accountWith, entryWith, sourceWith } from "./fleet-data.ts";
import type { ConfigProblems } from "../../../src/config/config.ts";
import type { Fleet } from "../../../src/serve/fleet/fleet.ts";

const head = `apiVersion: edgewise/v1
kind: Fleet
sources:
  edge: {git: https://git.example.com/edge.git}
accounts:
  main: {baseUrl: https://api.example.com, key: {file: key}}
`;

async function fleetFolder(text: string, files: { readonly [path: string]: string } = {}): Promise<string> {
  const root = await folder({ ...files, "fleet.yaml": text });
  await writeFile(join(root, "key"), "the-key-of-the-account\n");
  await chmod(join(root, "key"), 0o600);
  return root;
}

async function fleetOf(text: string, files: { readonly [path: string]: string } = {}): Promise<Fleet> {
  return loadFleet({ file: "fleet.yaml", cwd: await fleetFolder(text, files), env: {} });
}

async function problemsOf(text: string, files: { readonly [path: string]: string } = {}): Promise<readonly string[]> {
  const error: unknown = await fleetOf(text, files).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!isConfigProblems(error)) throw new Error(`expected problems, got ${String(error)}`);
  return error.diagnostics.map(
    ({ code, file, line, column, message }) => `${code} ${file}:${line}:${column} ${message}`,
  );
}

function isConfigProblems(error: unknown): error is ConfigProblems {
  return error instanceof Error && error.name === "ConfigProblems";
}

const one = `${head}stacks:\n  prod: {source: edge, account: main, stack: edge-prod`;

describe("loadFleet", () => {
  it("fills in the defaults", async () => {
    const cwd = await fleetFolder(`${head}stacks:\n  prod: {source: edge, account: main}\n`);
    const { entries, sources, accounts, ...rest } = await loadFleet({ file: "fleet.yaml", cwd, env: {} });
    expect(rest).toEqual({
      file: join(cwd, "fleet.yaml"),
      pause: false,
      forgotten: new Set(),
      http: { host: "127.0.0.1", port: 7070, token: null },
      notify: [],
      historyMs: 90 * 86_400_000,
    });
    expect([...sources.values()]).toEqual([sourceWith()]);
    expect([...accounts.values()]).toEqual([accountWith({ key: { file: join(cwd, "key") } })]);
    expect(entries).toEqual([entryWith()]);
  });

  it("takes the example, with files in place of its secrets", async () => {
    const example = await readFile(new URL("../../../examples/serve/fleet.yaml", import.meta.url), "utf8");
    const secrets = { "s/git-token": "t", "s/hook": "h", "s/main": "k", "s/hook-url": "https://hooks.example.com/x" };
    const cwd = await folder({ ...secrets, allowed_signers: "a ssh-ed25519 A\n", approvers: "a ssh-ed25519 A\n" });
    await writeFile(join(cwd, "fleet.yaml"), example.replaceAll("/run/credentials/edgewise.service", "s"));
    const fleet = await loadFleet({ file: "fleet.yaml", cwd, env: {} });
    expect(fleet.entries.map(({ name }) => name)).toEqual(["prod", "tenants"]);
  });

  it("merges defaults under each entry: maps are merged, lists are replaced, null takes away", async () => {
    const { entries } = await fleetOf(`${head}defaults:
  interval: 5m
  apply: {commit: security}
  windows: ["mon-fri 07:00-17:00 Europe/Berlin"]
  suspend: {until: 2026-12-01T00:00:00Z, reason: audit}
  brake: {stacks: 3, release: [a]}
  deadline: 1h
stacks:
  a: {source: edge, account: main, stack: a}
  b: {source: edge, account: main, stack: b, config: b.yaml, interval: 1s, apply: {drift: never}, windows: [], suspend: null, brake: {writers: 5, release: [b, c]}}
`);
    const [a, b] = entries.map(({ policy }) => policy);
    expect(a).toEqual({
      intervalMs: 300_000,
      apply: { commit: "security", drift: "cosmetic" },
      windows: windowsOf("mon-fri 07:00-17:00 Europe/Berlin"),
      suspend: { until: Date.UTC(2026, 11, 1), reason: "audit" },
      approvers: null,
      brake: { stacks: { count: 3 }, deletesPerDay: 10, writers: 3, release: ["a"] },
      deadlineMs: 3_600_000,
    });
    expect(b).toEqual({
      intervalMs: 1000,
      apply: { commit: "security", drift: "never" },
      windows: [],
      suspend: null,
      approvers: null,
      brake: { stacks: { count: 3 }, deletesPerDay: 10, writers: 5, release: ["b", "c"] },
      deadlineMs: 3_600_000,
    });
  });

  it("takes paths relative to the fleet file, wherever it is started", async () => {
    const signers = "a@example.com ssh-ed25519 AAAA\n";
    const cwd = await fleetFolder("", {
      "ops/fleet.yaml": `${head.replace("https://git.example.com/edge.git", "../edge, signedBy: signers").replace("file: key", "file: ../key")}stacks:
  prod: {source: edge, account: main, secrets: secrets/prod, approvers: signers}
`,
      "ops/signers": signers,
    });
    const fleet = await loadFleet({ file: "ops/fleet.yaml", cwd, env: {} });
    expect(fleet.sources.get("edge")).toMatchObject({ git: join(cwd, "edge"), signedBy: join(cwd, "ops/signers") });
    expect(fleet.accounts.get("main")?.key).toEqual({ file: join(cwd, "key") });
    expect(fleet.entries[0]).toMatchObject({
      secrets: join(cwd, "ops/secrets/prod"),
      policy: { approvers: join(cwd, "ops/signers") },
      place: { file: "ops/fleet.yaml" },
    });
  });

  it("reads anchors, and refuses what is written twice", async () => {
    const { entries } = await fleetOf(`${head}stacks:
  a: {source: edge, account: main, stack: a, config: a.yaml, apply: &apply {commit: none}}
  b: {source: edge, account: main, stack: b, config: b.yaml, apply: *apply}
`);
    expect(entries.map(({ policy }) => policy.apply.commit)).toEqual(["none", "none"]);
    const twice = `${head}stacks:\n  a: {source: edge, account: main}\n  a: {source: edge, account: main}\n`;
    expect(await problemsOf(twice)).toEqual([expect.stringMatching(/^yaml-duplicate-key fleet\.yaml:9:3 /)]);
  });

  it("takes keys from the operator's environment, where the file says so", async () => {
    const cwd = await fleetFolder(`${head.replace("file: key", "env: MAIN_KEY")}stacks: {}\n`);
    await loadFleet({ file: "fleet.yaml", cwd, env: { MAIN_KEY: "key" } });
    await expect(loadFleet({ file: "fleet.yaml", cwd, env: { EDGEWISE_API_KEY: "key" } })).rejects.toMatchObject({
      diagnostics: [{ line: 6, message: expect.stringContaining("MAIN_KEY is not set") }],
    });
  });
});

describe("an error in the fleet file", () => {
  const cases: readonly (readonly [what: string, text: string, expected: string])[] = [
    [
      "an unknown member",
      `${one}, secret: x}\n`,
      "unknown-member fleet.yaml:8:57 stacks.prod.secret is not known: did you mean secrets?",
    ],

    [
      "plain http to another machine",
      `${head.replace("https://api", "http://api")}stacks: {}\n`,
      "bad-base-url fleet.yaml:6:19 accounts.main.baseUrl is plain http to another machine",
    ],
    [
      "a password in a URL",
      `${head.replace("https://git", "https://u:p@git")}stacks: {}\n`,
      "fleet-git-url fleet.yaml:4:15 sources.edge.git contains a user or password",
    ],

    [
      "a configuration outside of the source",
      `${one}, config: ../a.yaml}\n`,
      "fleet-path fleet.yaml:8:65 stacks.prod.config must be a relative path",
    ],

    [
      "listening to others without a token",
      `${head}stacks: {}\nhttp: {listen: "0.0.0.0:7070"}\n`,
      "missing-member fleet.yaml:8:16 http.listen is reached from other machines, so http.token is needed",
    ],
    [
      "a key that is not there",
      `${head.replace("file: key", "file: nokey")}stacks: {}\n`,
      "fleet-file-unusable fleet.yaml:6:49 accounts.main.key can't be used: the file ",
    ],

    [
      "a name that is no part of a ref",
      `${head}stacks:\n  a..b: {source: edge, account: main}\n`,
      'bad-format fleet.yaml:8:3 stacks["a..b"] can\'t be part of a Git ref',
    ],
    ...["a..b"].map((ref): readonly [string, string, string] => [
      `a ref that no branch has: ${ref}`,
      `${head.replace("edge.git}", `edge.git, ref: "${ref}"}`)}stacks: {}\n`,
      `bad-format fleet.yaml:4:54 sources.edge.ref must be the name of a branch or tag, not "${ref}"`,
    ]),

    [
      "one marker twice",
      `${one}}\n  two: {source: edge, config: b.yaml, account: main, stack: edge-prod}\n`,
      "fleet-stack-twice fleet.yaml:9:61 stacks.two.stack is also the marker of stacks.prod, in the same account",
    ],
    [
      "a configuration that a pattern matches",
      `${head}stacks:\n  a: {source: edge, configs: "t/*/e.yaml", account: main}\n  b: {source: edge, config: t/x/e.yaml, account: main}\n`,
      "fleet-stack-twice fleet.yaml:9:29 stacks.b.config is also in stacks.a (line 8)",
    ],
    [
      "one HTTPS edge twice",
      `${one}, allow: {modulesOf: [edghts_1]}}\n  two: {source: edge, config: b.yaml, account: main, allow: {modulesOf: [edghts_1]}}\n`,
      "fleet-stack-twice fleet.yaml:9:74 stacks.two.allow.modulesOf[0] is edghts_1, whose modules stacks.prod (line 8) may manage",
    ],
  ];
  it.each(cases)("is told with its place: %s", async (_what, text, expected) => {
    const found = await problemsOf(text, { empty: " \n" });
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(expected);
  });

  it("is no error where the same marker is another account's", async () => {
    const two = head.replace("accounts:\n", "accounts:\n  other: {baseUrl: https://b.example.com, key: {file: key}}\n");
    const { entries } = await fleetOf(
      `${two}stacks:\n  a: {source: edge, account: main, stack: x}\n  b: {source: edge, account: other, stack: x}\n`,
    );
    expect(entries).toHaveLength(2);
    const aliases = two.replace("https://b.example.com", "https://api.example.com/");
    const found = await problemsOf(
      `${aliases}stacks:\n  a: {source: edge, account: main, stack: x}\n  b: {source: edge, account: other, stack: x, config: b.yaml}\n`,
    );
    expect(found).toEqual([expect.stringContaining("is also the marker of stacks.a")]);
  });
});

describe("the files of a fleet", () => {
  it("warns of a key that others can read, and refuses one that others can write", async () => {
    const cwd = await fleetFolder(`${one}}\n`);
    const warnings: string[] = [];
    const load = () => loadFleet({ file: "fleet.yaml", cwd, env: {}, onWarning: (text) => warnings.push(text) });
    await chmod(join(cwd, "key"), 0o644);
    await load();
    expect(warnings).toEqual([expect.stringContaining("can be read by every user of this computer (mode 0644)")]);
    await chmod(join(cwd, "key"), 0o666);
    await expect(load()).rejects.toMatchObject({
      diagnostics: [{ message: expect.stringContaining("written by every") }],
    });
  });

  it("refuses a fleet file that every user can write", async () => {
    const cwd = await fleetFolder(`${one}}\n`);
    await chmod(join(cwd, "fleet.yaml"), 0o666);
    await expect(loadFleet({ file: "fleet.yaml", cwd, env: {} })).rejects.toMatchObject({
      message: expect.stringContaining("can be written by every"),
    });
  });
});
