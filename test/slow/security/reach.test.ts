import { execFileSync } from "node:child_process";
import { link, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { json, startServer, type Handler, type TestServer } from "../../api/support/server.ts";
import { backend, beyondLists, edge, stage, type Stage } from "../../commands/stage.ts";
import { emptyLists } from "../../support/lists.ts";

const outside = "CONTENT-FROM-OUTSIDE";

/** A stage in its own directory, beside a file that must not be read. */
async function confined(): Promise<Stage> {
  const on = await stage();
  const above = await mkdtemp(join(tmpdir(), "edgewise-outside-"));
  onTestFinished(() => rm(above, { recursive: true, force: true }));
  await mkdir(join(above, "directory"));
  await writeFile(join(above, "directory", "page.html"), outside);
  await writeFile(join(above, "page.html"), outside);
  await writeFile(join(above, "extra.yaml"), backend("outside", `status_code: 200, body: ${outside}`));
  await symlink(above, join(on.dir, "above"));
  await mkdir(join(on.dir, "assets"), { recursive: true });
  await symlink(join(above, "page.html"), join(on.dir, "assets", "linked.html"));
  await symlink(join(above, "directory"), join(on.dir, "assets", "linked"));
  await symlink("linked.html", join(on.dir, "assets", "twice.html"));
  await symlink("../.hidden/page.html", join(on.dir, "assets", "to-hidden.html"));
  await symlink("..", join(on.dir, "assets", "up"));
  await symlink("loop.html", join(on.dir, "assets", "loop.html"));
  await on.write(".hidden/page.html", outside);
  await on.write("assets/.page.html", outside);
  await on.write("assets/page.html", "a page of one's own");
  return { ...on, env: Object.assign(on.env, { ABOVE: above }) };
}

describe("content files", () => {
  it.each<readonly [string, (above: string) => string]>([
    ["../../page.html", (above) => `../../${above.split("/").at(-1) ?? ""}/page.html`],
    ["an absolute path", (above) => `${above}/page.html`],
    ["a link to a file", () => "../assets/linked.html"],
    ["a link to a link", () => "../assets/twice.html"],
    ["a link to a directory", () => "../assets/linked/page.html"],
    ["a link above the root", () => "../above/page.html"],
    ["a link that comes back and goes out", () => "../assets/up/above/page.html"],
    ["a file that begins with a dot", () => "../assets/.page.html"],
    ["a directory that begins with a dot", () => "../.hidden/page.html"],
    ["a link to something hidden", () => "../assets/to-hidden.html"],
    ["a way through what is hidden", () => "../.hidden/../edge/../.hidden/page.html"],
    ["a link to itself", () => "../assets/loop.html"],
    ["a directory", () => "../assets/linked"],
    ["a device", () => "/dev/zero"],
    ["the process itself", () => "/proc/self/environ"],
    ["a URL", (above) => `file://${above}/page.html`],
    ["a NUL", () => "page.html\\0"],
    ["nothing", () => "."],
    ["a home", () => "~/page.html"],
    ["a shell's substitution", () => "$(cat page.html)"],
  ])("are not read by %s", async (_, path) => {
    const on = await confined();
    const written = path(on.env["ABOVE"] ?? "");
    await on.write("edge/all.yaml", backend("x", `status_code: 200, body: {file: "${written}"}`));
    for (const args of [["validate"], ["plan", "-o", "json"], ["apply", "-y"]]) {
      const { exit, out, err } = await on.run(...args);
      expect(exit, out + err).toBe(1);
      expect(out + err).not.toContain(outside);
      expect(out + err).not.toContain("bug in edgewise");
      expect(out + err).toMatch(/all\.yaml:4/u);
    }
    expect(beyondLists(on)).toEqual([]);
  });

  it("are read below the root, through links that stay there", async () => {
    const on = await confined();
    await on.write("edge/all.yaml", backend("x", `status_code: 200, body: {file: "../assets/up/assets/page.html"}`));
    const { out } = await on.run("plan", "-o", "json");
    expect(out).toContain("a page of one's own");
  });
});

describe("manifest patterns", () => {
  it.each([
    "../",
    "above/",
    "above/*.yaml",
    "/",
    "edge/../../*",
    ".hidden/",
    "{above,edge}/extra.yaml",
    "above/**/*.yaml",
  ])("do not lead out by %s", async (pattern) => {
    const on = await confined();
    await on.write("edge/all.yaml", backend("x"));
    await on.write(
      "edgewise.yaml",
      `apiVersion: edgewise/v1\nkind: Config\nstack: demo\nmanifests: [edge/, ${JSON.stringify(pattern)}]\n`,
    );
    const { exit, out, err } = await on.run("plan", "-o", "json");
    expect({ exit, out }).toEqual({ exit: 1, out: "" });
    expect(err).not.toContain(outside);
    const byFlag = await on.run("plan", "-f", pattern);
    expect(byFlag.exit).toBe(1);
    expect(beyondLists(on)).toEqual([]);
  });
});

const route = (secret: string): string => `apiVersion: edgewise/v1
kind: HTTPSEdgeRoute
metadata: {name: hooks, id: edghtsrt_1}
spec: {edge: {id: edghts_1}, webhook_verification: {provider: GITHUB, secret: ${secret}}}
`;

describe("the API key", () => {
  it.each([
    ["{env: EDGEWISE_API_KEY}", []],
    ["{env: edgewise_api_key}", []],
    ["{env: COPY}", []],
    ["{file: ../key}", ["--api-key-file", "key"]],
    ["{file: key-link}", ["--api-key-file", "key"]],
    ["{file: ../hard}", ["--api-key-file", "key"]],
    ["{file: ../edge/.././key}", ["--api-key-file", "key"]],
    ["{file: ../key}", ["--api-key-file", "./edge/key-link"]],
    ["{file: ../key}", []],
    ["{file: /proc/self/environ}", []],
  ] as const)("is no secret of a manifest: %s %j", async (secret, flags) => {
    const on = await stage();
    on.env["COPY"] = on.sandbox.apiKey;
    on.env["edgewise_api_key"] = "something else entirely";
    await on.write("key", `${on.sandbox.apiKey}\n`);
    await on.write("edge/all.yaml", route(secret));
    await symlink("../key", join(on.dir, "edge", "key-link"));
    await link(join(on.dir, "key"), join(on.dir, "hard"));
    const { exit, out, err } = await on.run("apply", "-y", ...flags);
    expect(exit, out + err).toBe(1);
    expect(out + err).not.toContain(on.sandbox.apiKey);
    expect(on.writes()).toBe(0);
  });

  it.each([
    ["key.txt", ["--api-key-file", "edge/key.txt"]],
    ["link.txt", ["--api-key-file", "edge/key.txt"]],
    ["hard.txt", ["--api-key-file", "edge/key.txt"]],
    ["key.txt", []],
  ] as const)("is no content of a manifest: %s %j", async (file, flags) => {
    const on = await stage();
    await on.write("edge/key.txt", `${on.sandbox.apiKey}\n`);
    await symlink("key.txt", join(on.dir, "edge", "link.txt"));
    await link(join(on.dir, "edge", "key.txt"), join(on.dir, "edge", "hard.txt"));
    await on.write("edge/all.yaml", backend("x", `status_code: 200, body: {file: ${file}}`));
    const { exit, out, err } = await on.run("plan", "--out", "plan.json", ...flags);
    expect({ exit, out }).toEqual({ exit: 1, out: "" });
    expect(err).toContain("API key");
    expect(err).not.toContain(on.sandbox.apiKey);
  });

  it.each(["EDGEWISE_API_KEY", "PATH", "HOME", "CERT"])(
    "expressions read EDGEWISE_VAR_%s and no other variable",
    async (name) => {
      const on = await stage();
      Object.assign(on.env, { PATH: "/secret/path", HOME: "/secret/home", CERT: "secret" });
      await on.write("edge/all.yaml", backend("x", `status_code: 200, body: "\${{ env.${name} }}"`));
      const missing = await on.run("plan");
      expect(missing.exit).toBe(1);
      expect(missing.err).toMatch(new RegExp(`edge/all\\.yaml:4:\\d+: error.*EDGEWISE_VAR_${name} is not set`, "u"));
      expect(missing.err).not.toContain("/secret");
      on.env[`EDGEWISE_VAR_${name}`] = "the value meant";
      const { exit, out } = await on.run("plan", "-o", "json");
      expect(exit).toBe(0);
      expect(out).toContain("the value meant");
      expect(out).not.toContain(on.sandbox.apiKey);
    },
  );

  it.each(["description: {env: HOME}", "body: {env: HOME}", "headers: {X: {env: HOME}}", "metadata: {env: HOME}"])(
    "variables of the process are no values of fields: %s",
    async (field) => {
      const on = await stage();
      on.env["HOME"] = "/secret/home";
      await on.write("edge/all.yaml", backend("x", `status_code: 200, ${field}`));
      const { out, err } = await on.run("plan", "-o", "json");
      expect(out + err).not.toContain("/secret/home");
      // Metadata is a map of the user's own, in which `env` is a word like any other.
      if (!field.startsWith("metadata")) expect(err).toMatch(/error/u);
    },
  );
});

describe("the key goes nowhere else", () => {
  async function servers(handler: Handler, elsewhere: Handler = (_, response) => json(response, 200, {})) {
    const [service, other] = await Promise.all([startServer(handler), startServer(elsewhere)]);
    onTestFinished(async () => {
      await Promise.all([service.close(), other.close()]);
    });
    return { service, other };
  }

  async function planAgainst(service: TestServer, ...args: readonly string[]) {
    const on = await stage();
    await on.write("edge/all.yaml", backend("x"));
    on.env["EDGEWISE_BASE_URL"] = service.baseUrl;
    return on.run("plan", ...args);
  }

  it.each([301, 302, 303, 307, 308])("by a redirect (%i)", async (status) => {
    const { service, other } = await servers((_, response) => {
      response.writeHead(status, { location: `${other.baseUrl}/edges/tls` });
      response.end();
    });
    const { exit, out, err } = await planAgainst(service);
    expect({ exit, out }).toEqual({ exit: 1, out: "" });
    expect(err).toContain("redirect");
    expect(other.seen).toHaveLength(0);
  });

  it.each<readonly [string, (own: number, other: number) => string]>([
    ["an absolute URL", (_, other) => `http://127.0.0.1:${other}/edges/tls`],
    ["one without a scheme", (_, other) => `//127.0.0.1:${other}/edges/tls`],
    ["three slashes", (_, other) => `///127.0.0.1:${other}/edges/tls`],
    ["backslashes", (_, other) => `\\\\127.0.0.1:${other}\\edges`],
    ["a slash and a backslash", (_, other) => `/\\127.0.0.1:${other}/edges/tls`],
    ["a user", (own, other) => `http://127.0.0.1:${own}@127.0.0.1:${other}/edges/tls`],
    ["a name for the same machine", (_, other) => `http://localhost:${other}/edges/tls`],
    ["another notation", (_, other) => `http://0x7f.1:${other}/edges/tls`],
    ["a decimal address", (_, other) => `http://2130706433:${other}/edges/tls`],
    ["a tab in it", (_, other) => `ht\ttp://127.0.0.1:${other}/edges/tls`],
    ["a line break before it", (_, other) => `\nhttp://127.0.0.1:${other}/edges/tls`],
    ["blanks before it", (_, other) => `  http://127.0.0.1:${other}/edges/tls`],
    ["capitals", (_, other) => `HTTP://127.0.0.1:${other}/edges/tls`],
    ["no slashes", (_, other) => `http:127.0.0.1:${other}/edges/tls`],
    ["a mapped address", (_, other) => `http://[::ffff:127.0.0.1]:${other}/edges/tls`],
    ["wide digits", (_, other) => `http://１２７.0.0.1:${other}/edges/tls`],
    ["another scheme", (_, other) => `ws://127.0.0.1:${other}/edges/tls`],
    ["a file", () => "file:///etc/passwd"],
    ["data", () => 'data:application/json,{"tls_edges":[],"next_page_uri":null}'],
    ["an empty user", (_, other) => `http://@127.0.0.1:${other}/edges/tls`],
  ])("by a next page: %s", async (_, uri) => {
    const { service, other } = await servers((request, response) => {
      const next = request.url === "/edges/tls" ? uri(service.port, other.port) : null;
      json(response, 200, { ...emptyLists, uri: "", next_page_uri: next });
    });
    const { exit, out, err } = await planAgainst(service, "-v");
    expect({ exit, out }).toEqual({ exit: 1, out: "" });
    expect(err).toContain("next_page_uri");
    expect(other.seen).toHaveLength(0);
    expect(service.seen.every(({ url }) => !url.includes("passwd"))).toBe(true);
  });

  it("by a next page out of the base URL's path", async () => {
    const { service } = await servers((request, response) => {
      const next = request.url === "/base/edges/tls" ? "/base/../other/edges/tls" : null;
      json(response, 200, { ...emptyLists, uri: "", next_page_uri: next });
    });
    const on = await stage();
    await on.write("edge/all.yaml", backend("x"));
    on.env["EDGEWISE_BASE_URL"] = `${service.baseUrl}/base`;
    expect((await on.run("plan")).exit).toBe(1);
    expect(service.seen.every(({ url }) => url.startsWith("/base/"))).toBe(true);
  });

  it("by the configuration: its origin must be that of EDGEWISE_BASE_URL", async () => {
    const on = await stage();
    const { other } = await servers((_, response) => json(response, 200, {}));
    await on.write("edge/all.yaml", backend("x"));
    const config = (api: string): Promise<void> =>
      on.write("edgewise.yaml", `apiVersion: edgewise/v1\nkind: Config\nstack: demo\nmanifests: [edge/]\n${api}`);
    for (const api of [
      `api: {baseUrl: "${other.baseUrl}"}\n`,
      `environments: {a: {api: {baseUrl: "${other.baseUrl}"}}}\n`,
    ]) {
      await config(api);
      for (const command of ["plan", "apply", "drift", "ping", "export", "destroy"]) {
        const { exit, out, err } = await on.run(
          command,
          ...(command === "apply" || command === "destroy" ? ["-y"] : []),
          ...(api.startsWith("env") ? ["-e", "a"] : []),
        );
        expect({ exit, out }).toEqual({ exit: 1, out: "" });
        expect(err).toContain("EDGEWISE_BASE_URL");
      }
    }
    expect(other.seen).toHaveLength(0);
    expect(on.sandbox.requests().total).toBe(0);
  });

  it.each([
    "http://api.example.com",
    "http://127.0.0.1.example.com",
    "http://localhost.example.com",
    "http://10.0.0.1",
    "http://[::2]",
    "http://0.0.0.0",
    "http://[::ffff:7f00:1]",
    "https://user:password@api.example.com",
    "https://user@api.example.com",
    "https://@api.example.com",
    "https://api.example.com/?a=b",
    "https://api.example.com/#a",
    "ftp://api.example.com",
    "api.example.com",
    "javascript:alert(1)",
    "https://api.example.com\\@127.0.0.1",
    "",
  ])("to no base URL like %s", async (url) => {
    const on = await stage();
    await on.write("edge/all.yaml", backend("x"));
    const { EDGEWISE_BASE_URL: _, ...env } = on.env;
    await on.write(
      "edgewise.yaml",
      `apiVersion: edgewise/v1\nkind: Config\nstack: demo\nmanifests: [edge/]\napi: {baseUrl: ${JSON.stringify(url)}}\n`,
    );
    for (const args of [["plan"], ["plan", "--base-url", url]]) {
      const { exit, out, err } = await on.runWith({ env }, ...args).ran;
      expect({ exit, out }).toEqual({ exit: 1, out: "" });
      expect(err).not.toContain("password@");
      expect(err).not.toContain("bug in edgewise");
    }
    const inEnv = await on.runWith({ env: { ...env, EDGEWISE_BASE_URL: url } }, "plan").ran;
    expect(inEnv.exit).toBe(1);
  });

  it.each([
    "Authorization",
    "authorization",
    "Host",
    "Content-Type",
    "content-length",
    "Cookie",
    "Transfer-Encoding",
    "a b",
    "x:y",
    "",
    "X\r\nY",
  ])("and no version header is %j", async (name) => {
    const on = await stage();
    await on.write("edge/all.yaml", backend("x"));
    const inFlag = await on.run("plan", "--version-header", name);
    expect(inFlag).toMatchObject({ exit: 1, out: "" });
    await on.write(
      "edgewise.yaml",
      `apiVersion: edgewise/v1\nkind: Config\nstack: demo\nmanifests: [edge/]\napi: {versionHeader: ${JSON.stringify(name)}}\n`,
    );
    expect(await on.run("plan")).toMatchObject({ exit: 1, out: "" });
    expect(on.sandbox.requests().total).toBe(0);
  });
});

describe("nothing but lists is asked for before the manifests are valid", () => {
  it.each([
    ["a field that is none", backend("x", "status_code: 200, colour: red")],
    ["a dangling name", edge("x", "a.example.com:443", ", backend: {backend: {name: none}}")],
    ["a variable that is not set", backend("x", 'status_code: 200, body: "${{ vars.none }}"')],
    ["a file that is not there", backend("x", "status_code: 200, body: {file: none}")],
    ["YAML that is none", "a: [\n"],
    ["two of one name", backend("x") + backend("x")],
  ])("%s", async (_, text) => {
    const on = await stage();
    await on.write("edge/all.yaml", text);
    for (const args of [["plan"], ["apply", "-y"], ["drift"], ["graph"], ["validate"]]) {
      expect((await on.run(...args)).exit, args[0]).toBe(1);
    }
    expect(beyondLists(on)).toEqual([]);
  });
});

describe("nothing is passed to a shell", () => {
  const names = [
    "$(touch pwned)",
    "`touch pwned`",
    "; touch pwned",
    "| touch pwned",
    "&& touch pwned",
    "--upload-pack=touch pwned",
  ];

  it.each(names)("%s", async (name) => {
    const on = await stage();
    const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: on.dir, stdio: "pipe" });
    git("init", "-q", "-b", "main");
    await on.write(`edge/${name}/page.html`, "page");
    await on.write(
      `edge/${name}.yaml`,
      backend("x", `status_code: 200, body: {file: ${JSON.stringify(`${name}/page.html`)}}`),
    );
    git("add", ".");
    git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", name);
    await on.run("plan", "--base", "main", "-o", "github");
    await on.run("plan", "--base", name);
    await on.run("plan", `--base=${name}`);
    await on.run("plan", "-f", `edge/${name}.yaml`, "--out", name, "--output-file", `${name}.txt`);
    await on.run("plan", "--stack", name, "--var", `a=${name}`, "-l", `a=${name}`);
    await on.run("init", name);
    const found = await readdir(on.dir, { recursive: true });
    expect(found.filter((path) => path.endsWith("pwned") && !path.includes("touch"))).toEqual([]);
  });

  it.each([
    "--exec=x",
    "-x",
    "--output=pwned",
    "HEAD --output=pwned",
    "main..HEAD",
    "HEAD:edge",
    "@{-1}",
    "a\u0000b",
    "",
  ])("no ref that begins with a dash or is no commit: %j", async (ref) => {
    const on = await stage();
    const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: on.dir, stdio: "pipe" });
    git("init", "-q", "-b", "main");
    await on.write("edge/all.yaml", backend("x"));
    git("add", ".");
    git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "first");
    const { exit, out, err } = await on.run("plan", `--base=${ref}`);
    expect({ exit, out }).toEqual({ exit: 1, out: "" });
    expect(err).not.toContain("bug in edgewise");
    expect(await readdir(dirname(join(on.dir, "x")))).not.toContain("pwned");
  });
});
