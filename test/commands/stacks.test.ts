import { mkdir, rename, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { violations } from "../schemas/all-schemas.ts";
import { repository, type Repository } from "./ref-repository.ts";
import { backend, stage, type Stage } from "./stage.ts";

const config = (stack: string, more = "") =>
  `apiVersion: edgewise/v1\nkind: Config\nstack: ${stack}\nmanifests: [edge/]\n${more}`;

interface Listed {
  readonly config: string;
  readonly environment: string | null;
  readonly slug: string;
  readonly changed?: readonly string[];
}

async function listed(at: Stage, ...args: readonly string[]): Promise<readonly Listed[]> {
  const { exit, out, err } = await at.run("stacks", "-o", "json", ...args);
  expect(exit, err).toBe(0);
  expect(out.trimEnd()).not.toContain("\n");
  const parsed = JSON.parse(out);
  expect(violations("configurations", parsed)).toEqual([]);
  return parsed.stacks;
}

const named = (stacks: readonly Listed[]) =>
  stacks.map((each) => `${each.config}${each.environment === null ? "" : ` ${each.environment}`}`);

async function three(): Promise<Repository> {
  const at = await repository();
  await rm(join(at.dir, "edgewise.yaml"));
  for (const name of ["a", "b", "c"]) {
    await at.write(`${name}/edgewise.yaml`, config(name));
    await at.write(`${name}/edge/all.yaml`, backend(name, "status_code: 503, body: {file: ../page.html}"));
    await at.write(`${name}/page.html`, name);
    await at.write(`${name}/README.md`, name);
  }
  at.commit("change");
  at.git("checkout", "-qb", "branch");
  return at;
}

describe("stacks", () => {
  it("lists every configuration and environment below the working directory, and needs no key", async () => {
    const at = await stage();
    await at.write(
      "apps/web/edgewise.yaml",
      config("web", "environments: {staging: {stack: web-staging}, eu: {stack: web-eu}}\n"),
    );
    await at.write("apps/api/edgewise.yaml", config("api", "api: {baseUrl: https://api.example.com/}\n"));
    delete at.env["EDGEWISE_API_KEY"];
    const found = await listed(at);
    const api = "https://api.example.com";
    expect(found.map((each) => Object.values(each))).toEqual([
      ["apps/api/edgewise.yaml", "apps/api", null, "api", api, "apps-api"],
      ["apps/web/edgewise.yaml", "apps/web", null, "web", null, "apps-web"],
      ["apps/web/edgewise.yaml", "apps/web", "staging", "web-staging", null, "apps-web-staging"],
      ["apps/web/edgewise.yaml", "apps/web", "eu", "web-eu", null, "apps-web-eu"],
      ["edgewise.yaml", ".", null, "demo", null, "demo"],
    ]);
    expect(at.sandbox.requests().log).toEqual([]);
    const { out } = await at.run("stacks");
    expect(out).toContain("web-staging  -c apps/web/edgewise.yaml -e staging\n");
  });

  it.each([
    [
      "the same stack at the addresses of its environments",
      "environments: {s: {api: {baseUrl: https://s.example}}, p: {api: {baseUrl: https://p.example}}}\n",
      ["s", "p"],
    ],
    ["an environment that only names what it is itself", "environments: {s: {variables: {x: 1}}}\n", ["s"]],
    [
      "a stack of its own at another address",
      "api: {baseUrl: https://p.example}\nenvironments: {s: {api: {baseUrl: https://s.example}}}\n",
      [null, "s"],
    ],
  ])("lists the bare configuration beside its environments or not: %s", async (_, more, environments) => {
    const at = await stage();
    await at.write("edgewise.yaml", config("demo", more));
    expect((await listed(at)).map(({ environment }) => environment)).toEqual(environments);
  });

  it("gives every stack another slug, whatever directories and environments are called", async () => {
    const at = await stage();
    for (const directory of ["a/b", "a-b", "A b", "ä..b", "日本", "中国", "x.lock"]) {
      await at.write(`${directory}/edgewise.yaml`, config("s", "environments: {b: {stack: t}}\n"));
    }
    const slugs = (await listed(at)).map(({ slug }) => slug);
    expect(slugs).toHaveLength(15);
    expect(new Set(slugs.map((slug) => slug.toLowerCase())).size).toBe(15);
    for (const slug of slugs) expect(slug).toMatch(/^(?!.*(?:\.\.|\.lock$))[a-z0-9][\w.-]*[a-z0-9]$|^[a-z0-9]$/iu);
  });

  it("enters no link, dot directory, node_modules or other repository", async () => {
    const at = await stage();
    for (const directory of [".hidden", "node_modules/x", "sub/module", "real"]) {
      await at.write(`${directory}/edgewise.yaml`, config("s"));
    }
    await at.write("sub/module/.git", "gitdir: ../../.git/modules/module\n");
    await symlink("real", join(at.dir, "linked"));
    await symlink("/", join(at.dir, "root"));
    expect(named(await listed(at))).toEqual(["edgewise.yaml", "real/edgewise.yaml"]);
  });

  it("names every broken configuration with its place, and lists nothing", async () => {
    const at = await stage();
    await at.write("a/edgewise.yaml", "apiVersion: edgewise/v1\nkind: Config\nstak: a\n");
    await at.write("b/edgewise.yaml", config("b", "environments: {x: {api: {baseUrl: ftp://x}}}\n"));
    const { exit, out, err } = await at.run("stacks", "-o", "json");
    expect(exit).toBe(1);
    expect(out).toBe("");
    expect(err).toContain("a/edgewise.yaml:3:1: error");
    expect(err).toContain("b/edgewise.yaml:5:35: error");
  });
});

describe("stacks --changed-since", () => {
  const cases: readonly (readonly [string, (at: Repository) => Promise<void>, readonly string[]])[] = [
    [
      "a manifest",
      async ({ write }) => write("b/edge/all.yaml", backend("b", "status_code: 504")),
      ["b/edge/all.yaml", "b/page.html"],
    ],
    ["a new manifest", async ({ write }) => write("b/edge/new.yml", backend("n")), ["b/edge/new.yml"]],
    ["a deleted manifest", async ({ dir }) => rm(join(dir, "b/edge/all.yaml")), ["b/edge/all.yaml", "b/page.html"]],
    [
      "a manifest that moved out",
      async ({ dir }) => rename(join(dir, "b/edge/all.yaml"), join(dir, "b/all.yaml")),
      ["b/edge/all.yaml", "b/page.html"],
    ],
    ["a file that a manifest names", async ({ write }) => write("b/page.html", "new"), ["b/page.html"]],
    [
      "a comment of the configuration",
      async ({ write }) => write("b/edgewise.yaml", config("b", "# why\n")),
      ["b/edgewise.yaml"],
    ],
  ];

  it("lists the one of three stacks that a change touches, committed or not", async () => {
    const at = await three();
    expect(await listed(at, "--changed-since", "main")).toEqual([]);
    for (const [what, change, files] of cases) {
      await change(at);
      const changed = [{ config: "b/edgewise.yaml", slug: "b", changed: files }];
      expect(await listed(at, "--changed-since", "main"), what).toMatchObject(changed);
      if (what === "a new manifest") {
        at.commit("change");
        expect(await listed(at, "--changed-since", "main")).toMatchObject(changed);
        expect((await at.run("stacks", "--changed-since", "main")).out).toBe(
          `b  -c b/edgewise.yaml\n  changed: ${files.join(", ")}\n`,
        );
      }
      at.git("reset", "-q", "--hard", "main");
      at.git("clean", "-qfd");
    }
  });

  it("does not count what no stack reads, nor what the other branch changed meanwhile", async () => {
    const at = await three();
    await at.write("b/README.md", "new");
    await at.write("README.md", "new");
    at.commit("change");
    at.git("checkout", "-q", "main");
    await at.write("a/edge/all.yaml", backend("a", "status_code: 504"));
    at.commit("change");
    at.git("checkout", "-q", "branch");
    expect(await listed(at, "--changed-since", "main")).toEqual([]);
    expect((await at.run("stacks", "--changed-since", "main")).err).toContain(
      "Nothing that changed since main touches one of the 3 stacks.",
    );
  });

  it("counts a secret file that Git holds once a commit changed it, and does not read it", async () => {
    const at = await three();
    const route = "apiVersion: edgewise/v1\nkind: HTTPSEdgeRoute\nmetadata: {name: hook, id: edghtsrt_x}\n";
    await at.write(
      "b/edge/hook.yaml",
      `${route}spec: {edge: {id: edghts_x}, webhook_verification: {provider: GITHUB, secret: {file: ../hook.key}}}\n`,
    );
    await at.write("b/hook.key", "one-secret-of-a-hook");
    at.commit("change");
    at.git("checkout", "-qB", "main");
    await at.write("b/hook.key", "another-secret-of-a-hook");
    expect(await listed(at, "--changed-since", "HEAD")).toEqual([]);
    at.commit("change");
    expect(await listed(at, "--changed-since", "HEAD~1")).toMatchObject([{ slug: "b", changed: ["b/hook.key"] }]);
  });

  it("lists only the environments whose merged settings changed", async () => {
    const at = await three();
    const environments = (x: number) =>
      config("b", `environments: {s: {stack: s, variables: {x: ${x}}}, p: {stack: p}}\n`);
    await at.write("b/edgewise.yaml", environments(1));
    at.commit("change");
    at.git("checkout", "-qB", "main");
    await at.write("b/edgewise.yaml", environments(2));
    expect(named(await listed(at, "--changed-since", "HEAD"))).toEqual(["b/edgewise.yaml s"]);
    await at.write("b/edgewise.yaml", `${environments(1)}# why\n`);
    expect(named(await listed(at, "--changed-since", "HEAD"))).toEqual([
      "b/edgewise.yaml",
      "b/edgewise.yaml s",
      "b/edgewise.yaml p",
    ]);
    await at.write("b/edgewise.yaml", environments(1).replace("[edge/]", "[edge/all.yaml]"));
    expect(named(await listed(at, "--changed-since", "HEAD"))).toHaveLength(3);
  });
});

describe("stacks --changed-since, when a stack is removed", () => {
  it("warns that its resources stay, in stacks and with --all", async () => {
    const at = await three();
    await rm(join(at.dir, "b"), { recursive: true });
    at.commit("change");
    const { exit, out, err } = await at.run("stacks", "--changed-since", "main");
    expect({ exit, out }).toEqual({ exit: 0, out: "" });
    expect(err).toContain(
      'warning: b/edgewise.yaml was removed, and nothing else names its stack "b": what that owns stays live',
    );
    expect(err).toMatch(/`edgewise destroy --ref [0-9a-f]{12} -c b\/edgewise\.yaml` first/u);
    expect((await at.run("plan", "--all", "--changed-since", "main")).err).toContain("warning: b/edgewise.yaml");
  });

  it("is silent when another configuration goes on with the stack, when it is renamed in place, or hidden", async () => {
    const at = await three();
    await at.write(".old/edgewise.yaml", config("old"));
    at.commit("change");
    at.git("checkout", "-q", "-B", "main");
    at.git("checkout", "-q", "-B", "branch");
    await mkdir(join(at.dir, "teams"));
    await rename(join(at.dir, "a"), join(at.dir, "teams/a"));
    await at.write("b/edgewise.yaml", config("b2", "previousStacks: [b]\n"));
    await rm(join(at.dir, ".old"), { recursive: true });
    at.commit("change");
    const { exit, err } = await at.run("stacks", "--changed-since", "main");
    expect({ exit, err }).toEqual({ exit: 0, err: "" });
  });
});
