import { execFileSync } from "node:child_process";
import { link, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { json, startServer, type Handler, type TestServer } from "../../api/support/server.ts";
import { backend, beyondLists, edge, stage, type Stage } from "../../commands/stage.ts";
import { emptyLists } from "../../support/lists.ts";

const outside = "CONTENT-FROM-OUTSIDE";

async function confined(): Promise<Stage & { readonly above: string }> {
  const on = await stage();
  const above = await mkdtemp(join(tmpdir(), "edgewise-outside-"));
  onTestFinished(() => rm(above, { recursive: true, force: true }));
  await writeFile(join(above, "page.html"), outside);
  await writeFile(join(above, "extra.yaml"), backend("outside", `status_code: 200, body: ${outside}`));
  await symlink(above, join(on.dir, "above"));
  await on.write("assets/page.html", "a page of one's own");
  await on.write(".hidden/page.html", outside);
  for (const [name, to] of [
    ["linked.html", join(above, "page.html")],
    ["twice.html", "linked.html"],
    ["to-hidden.html", "../.hidden/page.html"],
    ["up", ".."],
  ] as const)
    await symlink(to, join(on.dir, "assets", name));
  await on.write("edge/all.yaml", backend("x"));
  return { ...on, above };
}

const config = (more: string): string => `apiVersion: edgewise/v1\nkind: Config\nstack: demo\n${more}\n`;

describe("files outside of the root are not read", () => {
  it.each(["../assets/twice.html", "../assets/to-hidden.html", "/proc/self/environ"])(
    "as content: %s",
    async (path) => {
      const on = await confined();
      await on.write("edge/all.yaml", backend("x", `status_code: 200, body: {file: "${path}"}`));
      for (const args of [["validate"], ["plan", "-o", "json"], ["apply", "-y"]]) {
        const { exit, out, err } = await on.run(...args);
        expect({ exit, text: out + err }).toEqual({ exit: 1, text: expect.stringContaining("all.yaml:4") });
        expect(out + err).not.toMatch(/CONTENT-FROM-OUTSIDE|PATH=|bug in edgewise/u);
      }
      expect(beyondLists(on)).toEqual([]);
    },
  );

  it("but those below it are, through links that stay there", async () => {
    const on = await confined();
    await on.write("edge/all.yaml", backend("x", `status_code: 200, body: {file: "../assets/up/assets/page.html"}`));
    expect((await on.run("plan", "-o", "json")).out).toContain("a page of one's own");
  });

  it.each(["above/*.yaml", ".hidden/"])("by the pattern %s", async (pattern) => {
    const on = await confined();
    await on.write("edgewise.yaml", config(`manifests: [edge/, ${JSON.stringify(pattern)}]`));
    for (const flags of [[], ["-f", pattern]]) {
      const { exit, out, err } = await on.run("plan", "-o", "json", ...flags);
      expect({ exit, out }).toEqual({ exit: 1, out: "" });
      expect(err).not.toContain(outside);
    }
  });
});

describe("the API key", () => {
  const route = (secret: string): string => `apiVersion: edgewise/v1
kind: HTTPSEdgeRoute
metadata: {name: hooks, id: edghtsrt_1}
spec: {edge: {id: edghts_1}, webhook_verification: {provider: GITHUB, secret: ${secret}}}
`;

  it.each([
    [route("{env: EDGEWISE_API_KEY}"), []],
    [route("{env: COPY}"), []],
    [edge("x", "a.example.com:443", ", traffic_policy: {value: {on_tcp_connect: [{a: {env: EDGEWISE_API_KEY}}]}}"), []],
    [route("{file: ../hard}"), ["--api-key-file", "edge/key.txt"]],
    [backend("x", "status_code: 200, body: {file: link.txt}"), ["--api-key-file", "edge/key.txt"]],
  ] as const)("is neither secret nor content of a manifest: %j %j", async (manifest, flags) => {
    const on = await stage();
    on.env["COPY"] = on.sandbox.apiKey;
    await on.write("edge/key.txt", `${on.sandbox.apiKey}\n`);
    await symlink("key.txt", join(on.dir, "edge", "link.txt"));
    await link(join(on.dir, "edge", "key.txt"), join(on.dir, "hard"));
    await on.write("edge/all.yaml", manifest);
    const { exit, out, err } = await on.run("apply", "-y", ...flags);
    expect(exit, out + err).toBe(1);
    expect(out + err).not.toContain(on.sandbox.apiKey);
    expect(on.writes()).toBe(0);
  });

  it("and no other variable of the process is read by an expression or a field", async () => {
    const on = await stage();
    Object.assign(on.env, { HOME: "/secret/home" });
    for (const field of [
      "body: '${{ env.HOME }}'",
      "body: '${{ env.EDGEWISE_API_KEY }}'",
      "description: {env: HOME}",
    ]) {
      await on.write("edge/all.yaml", backend("x", `status_code: 200, ${field}`));
      const { exit, out, err } = await on.run("plan", "-o", "json");
      expect({ exit, out }).toEqual({ exit: 1, out: "" });
      expect(err).not.toMatch(/\/secret|key-of-the-stage/u);
    }
  });
});

describe("the key goes nowhere else", () => {
  async function servers(handler: Handler): Promise<{ readonly service: TestServer; readonly other: TestServer }> {
    const [service, other] = await Promise.all([startServer(handler), startServer((_, to) => json(to, 200, {}))]);
    onTestFinished(async () => {
      await Promise.all([service.close(), other.close()]);
    });
    return { service, other };
  }

  async function planAgainst(baseUrl: string, words: string): Promise<void> {
    const on = await stage();
    await on.write("edge/all.yaml", backend("x"));
    on.env["EDGEWISE_BASE_URL"] = baseUrl;
    const { exit, out, err } = await on.run("plan", "-v");
    expect({ exit, out, err }).toEqual({ exit: 1, out: "", err: expect.stringContaining(words) });
  }

  it("by a redirect", async () => {
    const { service, other } = await servers((_, response) => {
      response.writeHead(307, { location: `${other.baseUrl}/edges/tls` });
      response.end();
    });
    await planAgainst(service.baseUrl, "redirect");
    expect(other.seen).toHaveLength(0);
  });

  it.each([
    "/\\127.0.0.1:OTHER/base/edges/tls",
    "http://127.0.0.1:OWN@127.0.0.1:OTHER/base/edges/tls",
    "/base/../other/edges/tls",
  ])("by a next page: %j", async (uri) => {
    const { service, other } = await servers(({ url }, response) => {
      const next = uri.replace("OWN", String(service.port)).replace("OTHER", String(other.port));
      json(response, 200, { ...emptyLists, uri: "", next_page_uri: url === "/base/edges/tls" ? next : null });
    });
    await planAgainst(`${service.baseUrl}/base`, "next_page_uri");
    expect(other.seen).toHaveLength(0);
    expect(service.seen.every(({ url }) => url.startsWith("/base/"))).toBe(true);
  });

  it.each(["http://api.example.com", "https://user:password@api.example.com", "https://api.example.com\\@127.0.0.1"])(
    "to no base URL like %s",
    async (url) => {
      const on = await stage();
      await on.write("edge/all.yaml", backend("x"));
      delete on.env["EDGEWISE_BASE_URL"];
      await on.write("edgewise.yaml", config(`manifests: [edge/]\napi: {baseUrl: ${JSON.stringify(url)}}`));
      for (const args of [["plan"], ["plan", "--base-url", url]]) {
        const { exit, out, err } = await on.run(...args);
        expect({ exit, out }).toEqual({ exit: 1, out: "" });
        expect(err).not.toMatch(/password@|bug in edgewise/u);
      }
    },
  );

  it.each(["authorization", "Content-Type", "X\r\nY"])("and no version header is %j", async (name) => {
    const on = await stage();
    await on.write("edge/all.yaml", backend("x"));
    expect(await on.run("plan", "--version-header", name)).toMatchObject({ exit: 1, out: "" });
    await on.write("edgewise.yaml", config(`manifests: [edge/]\napi: {versionHeader: ${JSON.stringify(name)}}`));
    expect(await on.run("plan")).toMatchObject({ exit: 1, out: "" });
    expect(on.sandbox.requests().total).toBe(0);
  });
});

it.each(["$(touch pwned)", "; touch pwned", "--upload-pack=touch pwned"])(
  "nothing is passed to a shell: %s",
  async (name) => {
    const on = await stage();
    const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: on.dir, stdio: "pipe" });
    git("init", "-q", "-b", "main");
    await mkdir(join(on.dir, "edge", name), { recursive: true });
    await on.write(`edge/${name}/page.html`, "page");
    await on.write(`edge/${name}.yaml`, backend("x", `status_code: 200, body: {file: "${name}/page.html"}`));
    git("add", ".");
    git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", name);
    await on.run("plan", "--base", "main", "-o", "github");
    await on.run("plan", `--base=${name}`);
    await on.run("plan", "-f", `edge/${name}.yaml`, "--out", name, "--stack", name, "--var", `a=${name}`);
    await on.run("init", name);
    const found = await readdir(on.dir, { recursive: true });
    expect(found.filter((path) => path.endsWith("pwned") && !path.includes("touch"))).toEqual([]);
  },
);
