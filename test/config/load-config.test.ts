import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Config, type ConfigInput, ConfigProblems } from "../../src/config/config.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { EdgewiseError } from "../../src/core/errors.ts";
import { folder } from "./folder.ts";

const head = "apiVersion: edgewise/v1\nkind: Config\n";

async function load(
  yaml: string | null,
  flags: ConfigInput["flags"] = {},
  env: ConfigInput["env"] = {},
): Promise<Config> {
  const cwd = await folder(yaml === null ? {} : { "edgewise.yaml": head + yaml });
  return loadConfig({ cwd, env, flags });
}

async function failure(promise: Promise<unknown>): Promise<EdgewiseError> {
  const error: unknown = await promise.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (error instanceof EdgewiseError) return error;
  throw new Error(`expected an EdgewiseError, got ${String(error)}`);
}

async function problems(promise: Promise<unknown>): Promise<readonly string[]> {
  const error = await failure(promise);
  if (!(error instanceof ConfigProblems)) throw new Error(error.message);
  return error.diagnostics.map(({ code, line, column, message }) => `${code} ${line}:${column} ${message}`);
}

const rule = (name: string): string => `{name: ${name}, expression: "false", message: m}`;

describe("policies", () => {
  it("are those of the file and then those of the environment, which takes none away", async () => {
    const yaml = `policies: [${rule("a")}, ${rule("b")}]\nenvironments:\n  prod: {policies: [${rule("c")}]}\n  empty: {policies: []}\n  none: {policies: null}\n  other: {stack: x}\n`;
    const names = async (environment?: string): Promise<readonly string[]> =>
      (await load(yaml, environment === undefined ? {} : { environment })).policies.map(({ name }) => name);
    expect(await names()).toEqual(["a", "b"]);
    expect(await names("prod")).toEqual(["a", "b", "c"]);
    for (const environment of ["empty", "none", "other"]) expect(await names(environment)).toEqual(["a", "b"]);
    expect((await load("policies: null\n")).policies).toEqual([]);
    expect((await load(yaml)).policies[0]).toMatchObject({ effect: "deny", tests: [] });
  });

  it("have names of their own, in every environment", async () => {
    expect(await problems(load(`policies: [${rule("a")}, ${rule("a")}]\n`))).toEqual([
      "policy-name 3:63 policy a: another one has this name",
    ]);
    const replaced = `policies: [${rule("a")}]\nenvironments: {prod: {policies: [${rule("a")}]}, dev: {policies: [${rule("b")}]}}\n`;
    for (const flags of [{}, { environment: "dev" }, { environment: "prod" }]) {
      expect(await problems(load(replaced, flags))).toEqual(["policy-name 4:41 policy a: another one has this name"]);
    }
    const same = `environments: {prod: {policies: [${rule("a")}]}, dev: {policies: [${rule("a")}]}}\n`;
    expect((await load(same, { environment: "dev" })).policies).toHaveLength(1);
  });

  it.each([
    ["policies: [{name: A, expression: e, message: m}]", /^bad-format .*lower-case letters, digits and '-'/],
    ["policies: [{name: a, expression: e, message: m, effects: warn}]", /^unknown-member .*did you mean effect\?/],
    [`policies: [{name: a, expression: "${"x".repeat(10_001)}", message: m}]`, /^too-long .*10000 characters/],
    [
      `policies: [${Array.from({ length: 101 }, (_, at) => rule(`p${at}`)).join(", ")}]`,
      /^too-long .*more than 100 items/,
    ],
  ])("are checked: %#", async (yaml, message) => {
    expect((await problems(load(`${yaml}\n`))).join("\n")).toMatch(message);
  });
});

describe("loadConfig", () => {
  it("reads everything that a file may say", async () => {
    const cwd = await folder({
      "edgewise.yaml": `${head}
stack: edge-prod
manifests: [edge/]
api: {baseUrl: https://api.example.com/v/, versionHeader: X-Version, requestsPerMinute: 120, timeout: 500ms, deadline: 1.5h, settle: 5s, moduleEndpoints: [backend]}
variables: {region: eu, list: [1, {a: true}]}
guards: {maxDeletes: 25%, allow: [ReservedAddress/old]}
adopt: {TLSEdge/api: edgtls_1}
previousStacks: [edge, edge-prod]
lock: {settle: 5s}
`,
    });
    expect(await loadConfig({ cwd, env: {}, flags: {} })).toMatchObject({
      file: join(cwd, "edgewise.yaml"),
      root: cwd,
      stack: "edge-prod",
      patterns: ["edge/"],
      patternBase: cwd,
      api: {
        baseUrl: "https://api.example.com/v",
        versionHeader: "X-Version",
        requestsPerMinute: 120,
        timeoutMs: 500,
        deadlineMs: 5_400_000,
        settleMs: 5_000,
        moduleEndpoints: ["backend"],
      },
      variables: { region: "eu", list: [1, { a: true }] },
      guards: { maxDeletes: { percent: 25 }, allow: ["ReservedAddress/old"] },
      adopt: { "TLSEdge/api": "edgtls_1" },
      previousStacks: ["edge"],
      lock: { wanted: true, settleMs: 5000 },
    });
    expect((await load("lock: false\n")).lock).toEqual({ wanted: false, settleMs: 2000 });
  });
});

describe("where the file is", () => {
  it("is looked for upward", async () => {
    const root = await folder({ "edgewise.yaml": `${head}stack: a`, "b/c/x": "" });
    expect(await loadConfig({ cwd: join(root, "b/c"), env: {}, flags: {} })).toMatchObject({ root, stack: "a" });
  });

  it("is named by the flag, else by the environment", async () => {
    const cwd = await folder({
      "a.yaml": `${head}stack: a`,
      "x/b.yaml": `${head}stack: b`,
      "edgewise.yaml": `${head}stack: c`,
    });
    const env = { EDGEWISE_CONFIG: "x/b.yaml" };
    expect(await loadConfig({ cwd, env, flags: { config: "a.yaml" } })).toMatchObject({ stack: "a" });
    expect(await loadConfig({ cwd, env, flags: {} })).toMatchObject({ stack: "b", root: join(cwd, "x") });
  });

  it("must be there when it is named", async () => {
    const error = await failure(load(null, { config: "none.yaml" }));
    expect(error).toMatchObject({ code: "config", exit: 1 });
    expect(error.message).toContain("none.yaml, named by --config");
  });
});

describe("precedence", () => {
  const file = "stack: file\napi: {baseUrl: https://a.example, versionHeader: File}\n";

  it("flag, environment, file", async () => {
    const env = { EDGEWISE_STACK: "env", EDGEWISE_BASE_URL: "https://a.example/env", EDGEWISE_VERSION_HEADER: "Env" };
    const flags = { stack: "flag", baseUrl: "https://b.example", versionHeader: "Flag" };
    expect(await load(file, flags, env)).toMatchObject({
      stack: "flag",
      api: { baseUrl: "https://b.example", versionHeader: "Flag" },
    });
    expect(await load(file, {}, env)).toMatchObject({
      stack: "env",
      api: { baseUrl: "https://a.example/env", versionHeader: "Env" },
    });
    expect(await load(file)).toMatchObject({
      stack: "file",
      api: { baseUrl: "https://a.example", versionHeader: "File" },
    });
  });

  it("takes an empty variable or flag for a mistake, and names all of them", async () => {
    const env = { EDGEWISE_STACK: " ", EDGEWISE_CONFIG: "", EDGEWISE_VAR_A: "" };
    expect(await failure(load(file, {}, env))).toMatchObject({
      code: "config",
      message: "EDGEWISE_CONFIG, EDGEWISE_STACK are set but empty",
    });
    expect(await failure(load(file, { stack: "" }))).toMatchObject({ code: "usage" });
  });

  it("adds --allow to the file's, and lets --var and --max-deletes beat it", async () => {
    const yaml = "variables: {a: file, b: file}\nguards: {allow: [TLSEdge/a], maxDeletes: 1}\n";
    const flags = { var: ["a=x=y", "a=z", "c="], allow: ["TLSEdge/b", "TLSEdge/a"], maxDeletes: "50%" };
    expect(await load(yaml, flags)).toMatchObject({
      variables: { a: "z", b: "file", c: "" },
      guards: { allow: ["TLSEdge/a", "TLSEdge/b"], maxDeletes: { percent: 50 } },
    });
  });

  it("reads -f from the working directory, and says so", async () => {
    const root = await folder({ "edgewise.yaml": `${head}manifests: [edge/]`, "sub/x": "" });
    const config = await loadConfig({ cwd: join(root, "sub"), env: {}, flags: { file: ["a.yaml"] } });
    expect(config).toMatchObject({ root, patterns: ["a.yaml"], patternBase: join(root, "sub"), fromFlags: true });
  });

  it.each([
    [{ stack: " a" }, "--stack"],
    [{ maxDeletes: "101%" }, "--max-deletes"],
    [{ allow: ["TLSedge/a"] }, "--allow"],
    [{ var: ["a"] }, "--var"],
    [{ versionHeader: "Authorization" }, "--version-header"],
    [{ versionHeader: "Content-Type" }, "--version-header"],
    [{ versionHeader: "a\r\nb" }, "--version-header"],
    [{ baseUrl: "api.example" }, "--base-url"],
  ])("refuses %j", async (flags, name) => {
    const error = await failure(load(null, flags));
    expect(error.code).toBe("usage");
    expect(error.message).toContain(name);
    expect(error.remedy).not.toBeNull();
  });
});

describe("environments", () => {
  const yaml = `stack: base
manifests: [a/, b/]
variables: {region: eu, deep: {x: 1, y: 2}, list: [1, 2]}
guards: {maxDeletes: 5, allow: [TLSEdge/a]}
adopt: {TLSEdge/a: one, TLSEdge/b: two}
environments:
  staging:
    stack: staging
    variables: {deep: {y: 3}, list: [4]}
    guards: {allow: []}
    adopt: {TLSEdge/b: null, TLSEdge/c: three}
  empty:
`;

  it("merges maps and replaces the rest", async () => {
    expect(await load(yaml, { environment: "staging" })).toMatchObject({
      environment: "staging",
      stack: "staging",
      patterns: ["a/", "b/"],
      variables: { region: "eu", deep: { x: 1, y: 3 }, list: [4] },
      guards: { maxDeletes: { count: 5 }, allow: [] },
    });
    expect((await load(yaml, { environment: "staging" })).adopt).toEqual({ "TLSEdge/a": "one", "TLSEdge/c": "three" });
  });

  it("is chosen by the variable, too, and changes nothing when empty", async () => {
    expect(await load(yaml, {}, { EDGEWISE_ENVIRONMENT: "staging" })).toMatchObject({ stack: "staging" });
    expect(await load(yaml, { environment: "empty" })).toMatchObject({ stack: "base", environment: "empty" });
    expect(await load(yaml)).toMatchObject({ stack: "base", environment: null });
  });

  it("lists what there is when there is no such one", async () => {
    const error = await failure(load(yaml, { environment: "stagin" }));
    expect(error.remedy).toBe("Did you mean staging? Available environments: staging, empty.");
    expect((await failure(load(yaml, {}, { EDGEWISE_ENVIRONMENT: "toString" }))).code).toBe("config");
    expect(error.message).toMatch(/which edgewise\.yaml does not have$/u);
    const none = await failure(load("stack: a", { environment: "x" }));
    expect(none.remedy).toBe("It has none.");
    expect((await failure(load(null, { environment: "x" }))).message).toMatch(
      /there is no edgewise\.yaml in .* or above it$/u,
    );
  });
});

describe("the base URL", () => {
  const file = "api: {baseUrl: https://a.example}\nenvironments: {e: {api: {baseUrl: https://b.example}}}\n";

  it("may not lead elsewhere than the environment says", async () => {
    expect(await problems(load(file, {}, { EDGEWISE_BASE_URL: "https://b.example" }))).toEqual([
      expect.stringMatching(/^base-url-elsewhere 3:\d+ /),
    ]);
    expect(await problems(load(file, { environment: "e" }, { EDGEWISE_BASE_URL: "https://a.example" }))).toEqual([
      expect.stringMatching(/^base-url-elsewhere 4:\d+ /),
    ]);
    expect(await load(file, { environment: "e" }, { EDGEWISE_BASE_URL: "https://B.example:443/x" })).toMatchObject({
      api: { baseUrl: "https://b.example/x" },
    });
  });

  it("is what --base-url says, whatever the rest says", async () => {
    const flags = { baseUrl: "http://localhost:8080/" };
    expect(await load(file, flags, { EDGEWISE_BASE_URL: "https://c.example" })).toMatchObject({
      api: { baseUrl: "http://localhost:8080" },
    });
  });

  it("is plain http only where that is asked for", async () => {
    const plain = "api: {baseUrl: 'http://a.example'}\n";
    expect(await problems(load(plain))).toEqual([expect.stringContaining("bad-base-url 3:16")]);
    expect(await load(plain, { allowInsecureHttp: true })).toMatchObject({ api: { baseUrl: "http://a.example" } });
    expect((await failure(load(null, {}, { EDGEWISE_BASE_URL: "http://a.example" }))).code).toBe("config");
  });

  it("is never shown when it holds a password", async () => {
    const error = await failure(load(null, {}, { EDGEWISE_BASE_URL: "https://me:hunter2@a.example" }));
    expect(error.message).toContain("contains a user or password");
    expect(JSON.stringify([error.message, error.remedy])).not.toContain("hunter2");
    const inFile = await failure(load("api: {baseUrl: 'https://me:hunter2@a.example'}\n"));
    expect(JSON.stringify(inFile instanceof ConfigProblems && inFile.diagnostics)).not.toContain("hunter2");
  });
});

describe("errors in the file", () => {
  it.each([
    ["the key", "apiKey: abc", "unknown-member 3:1"],
    ["a duplicate key", "stack: a\nstack: b", "yaml-duplicate-key 4:1"],
    ["an unknown kind in an address", "adopt: {TLSedge/a: x}", "bad-format 3:9"],
    ["an id that climbs", "adopt: {TLSEdge/a: ../x}", "bad-format 3:20"],
    ["a duration without unit", "api: {timeout: '30'}", "bad-format 3:16"],
    ["no time at all", "api: {timeout: 0s}", "out-of-range 3:16"],
    ["more than everything", "guards: {maxDeletes: 120%}", "bad-format 3:22"],
    ["a header with another meaning", "api: {versionHeader: authorization}", "bad-version-header 3:22"],
    ["a module that has endpoints anyway", "api: {moduleEndpoints: [mutual_tls]}", "not-allowed-value 3:25"],
    ["a page cache elsewhere", "api: {pageCache: ../pages.json}", "bad-page-cache 3:18"],

    ["an environment in an environment", "environments: {a: {environments: {}}}", "unknown-member 3:20"],
    ["a variable that no manifest could name", "variables: {a b: 1}", "bad-format 3:13"],
    ["a second document", "---\nstack: b", "not-a-map"],
  ])("%s", async (_what, yaml, expected) => {
    expect((await problems(load(yaml)))[0]).toContain(expected);
  });

  it("say what a number lacks", async () => {
    const error = await failure(load("api: {timeout: 30}"));
    expect(error instanceof ConfigProblems && error.diagnostics[0]?.remedy).toMatch(/^Write a duration such as .*30s/u);
  });

  it("don't show the line of a key that should not be there", async () => {
    const error = await failure(load("apiKey: hunter2"));
    expect(error instanceof ConfigProblems && JSON.stringify(error.diagnostics)).not.toContain("hunter2");
    expect(error instanceof ConfigProblems && error.diagnostics[0]?.remedy).toContain("EDGEWISE_API_KEY");
  });
});
