import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { buildProgram } from "../../src/commands/program/build-program.ts";
import { listedKinds } from "../../src/kinds/names.ts";
import { schemaNames } from "../../src/schema/schema-files.ts";
import { described, directoryOf, offered } from "./offered.ts";

const manifest = (kind: string, name: string, labels = "{}"): string =>
  `apiVersion: edgewise/v1\nkind: ${kind}\nmetadata:\n  name: ${name}\n  labels: ${labels}\nspec: {}\n`;

const files = {
  "edgewise.yaml": `apiVersion: edgewise/v1
kind: Config
stack: edge
manifests: [edge/]
variables: {region: eu, tier: 1}
guards: {allow: [ReservedAddress/old]}
adopt: {TLSEdge/adopted: edgtls_1}
environments:
  prod: {stack: edge-prod, manifests: [prod/], variables: {size: 2}}
  staging:
`,
  "edge/a.yaml": `# two\n${manifest("TLSEdge", "api", "{team: payments, tier: one=two}")}---\n${manifest("TLSEdge", "www", "{team: web}")}`,
  "edge/deep/b.yml": manifest("IPRestriction", "office"),
  "prod/c.yaml": manifest("TLSEdge", "prod-api"),
  "other/d.yaml": manifest("TLSEdge", "elsewhere"),
};

describe("addresses", () => {
  it("are those of the configuration's manifests, with their places", async () => {
    const dir = await directoryOf(files);
    const all = ["TLSEdge/api\tedge/a.yaml:2", "TLSEdge/www\tedge/a.yaml:9", "IPRestriction/office\tedge/deep/b.yml:1"];
    for (const line of ["plan --only ", "apply --only ", "pull ", "pull --only ", "pull -- "])
      expect([line, await described(dir, line)]).toEqual([line, all]);
    expect(await described(join(dir, "edge"), "plan --only ")).toContain("TLSEdge/api\ta.yaml:2");
  });

  it("follow -c, -e, -f and the variables of the environment", async () => {
    const dir = await directoryOf(files);
    expect(await offered(dir, "plan -e prod --only ")).toEqual(["TLSEdge/prod-api"]);
    expect(await offered(dir, "plan --environment=prod --only ")).toEqual(["TLSEdge/prod-api"]);
    expect(await offered(dir, "plan --only ", { EDGEWISE_ENVIRONMENT: "prod" })).toEqual(["TLSEdge/prod-api"]);
    expect(await offered(dir, "plan -f other/ -f prod/c.yaml --only ")).toEqual([
      "TLSEdge/elsewhere",
      "TLSEdge/prod-api",
    ]);
    expect(await offered(dir, "plan -f other/*.yaml --only=")).toEqual(["--only=TLSEdge/elsewhere"]);
    expect(await offered("/", `plan -c ${dir}/edgewise.yaml -e prod --only `)).toEqual(["TLSEdge/prod-api"]);
    expect(await offered("/", "plan --only ", { EDGEWISE_CONFIG: `${dir}/edgewise.yaml` })).toHaveLength(3);
    expect(await offered("/", "plan -c no-such.yaml --only ")).toEqual([]);
    expect(await offered(dir, "plan -e no-such --only ")).toHaveLength(3);
  });

  it("that the line has already are not offered again", async () => {
    const dir = await directoryOf(files);
    expect(await offered(dir, "plan --only TLSEdge/api --only ")).toEqual(["TLSEdge/www", "IPRestriction/office"]);
    expect(await offered(dir, "pull TLSEdge/www TLSEdge/api ")).toEqual(["IPRestriction/office"]);
  });

  it("are offered kind by kind when there are many", async () => {
    const many = Array.from({ length: 250 }, (_, index) => manifest("TLSEdge", `edge-${index}`)).join("---\n");
    const dir = await directoryOf({ ...files, "edge/many.yaml": many });
    expect(await described(dir, "plan --only ")).toEqual(["TLSEdge/\t252 manifests", "IPRestriction/\t1 manifest"]);
    expect(await offered(dir, "plan --only TLSEdge/")).toContain("TLSEdge/edge-249");
  });
});

describe("names of the configuration", () => {
  it("are environments, stacks, variables and labels", async () => {
    const dir = await directoryOf(files);
    expect(await described(dir, "plan -e ")).toEqual(["prod\tstack edge-prod", "staging\t"]);
    expect(await offered(dir, "plan --stack ")).toEqual(["edge", "edge-prod"]);
    expect(await described(dir, "plan --var ")).toEqual(["region=\tvariable", "tier=\tvariable"]);
    expect(await offered(dir, "plan -e prod --var=")).toEqual(["--var=region=", "--var=tier=", "--var=size="]);
    expect(await described(dir, "plan -l ")).toEqual(["team=\t2 manifests", "tier=\t1 manifest"]);
    expect(await described(dir, "plan -l team=")).toEqual(["team=payments\t1 manifest", "team=web\t1 manifest"]);
    expect(await offered(dir, "plan --label=tier=")).toEqual(["--label=tier=one=two"]);
    expect(await offered(dir, "plan -ltier=")).toEqual(["-ltier=one=two"]);
  });

  it("never show the value of a variable", async () => {
    const dir = await directoryOf({ "edgewise.yaml": "variables: {token: s3cret-value}\n" });
    expect((await described(dir, "plan --var ")).join()).not.toContain("s3cret");
  });
});

describe("files", () => {
  it("are plans, configurations, manifests, fleet files or directories, as the command takes them", async () => {
    const dir = await directoryOf({
      ...files,
      "one.json": '{\n  "format": "edgewise.plan/v1"}',
      "two.json": '{"format":"edgewise.result/v1"}',
      "plan.txt": '{"format":"edgewise.plan/v1"}',
      ".hidden.json": '{"format":"edgewise.plan/v1"}',
      "fleet.yaml": "apiVersion: edgewise/v1\nkind: Fleet\n",
    });
    execFileSync("mkfifo", [join(dir, "pipe.json")]);
    const directories = ["edge/", "other/", "prod/"];
    const sorted = async (line: string) => (await offered(dir, line)).toSorted();
    expect(await sorted("show ")).toEqual([...directories, "one.json"].toSorted());
    expect(await sorted("apply ./o")).toEqual(["./one.json", "./other/"]);
    expect(await sorted("show .")).toEqual([".hidden.json"]);
    expect(await sorted("plan -c ")).toEqual([...directories, "edgewise.yaml"].toSorted());
    expect(await sorted("plan -f ")).toEqual([...directories, "edgewise.yaml", "fleet.yaml"].toSorted());
    expect(await sorted("validate edge/")).toEqual(["edge/a.yaml", "edge/deep/"]);
    expect(await sorted("serve ")).toEqual([...directories, "fleet.yaml"].toSorted());
    expect(await sorted("init ")).toEqual(directories);
    expect(await sorted("export --out-dir e")).toEqual(["edge/"]);
    // Nothing fits, so everything does.
    expect(await sorted("show plan")).toEqual(["plan.txt"]);
    expect(await sorted("show no-such/")).toEqual([]);
  });
});

describe("refs", () => {
  it("are read from the files of the repository, packed or not, also from a linked work tree", async () => {
    const git = (at: string, ...args: readonly string[]) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], { cwd: at });
    const dir = await directoryOf(files);
    git(dir, "init", "-q", "-b", "main");
    git(dir, "commit", "-q", "--allow-empty", "-m", "one");
    git(dir, "branch", "feature/packed");
    git(dir, "tag", "v1");
    git(dir, "pack-refs", "--all");
    git(dir, "branch", "feature/loose");
    git(dir, "update-ref", "refs/remotes/origin/main", "HEAD");
    git(dir, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main");
    const all = ["HEAD", "feature/loose", "feature/packed", "main", "origin/main", "v1"];
    for (const line of ["plan --base ", "plan --ref ", "drift --base ", "stacks --changed-since "])
      expect((await offered(join(dir, "edge"), line)).toSorted()).toEqual(all);
    expect(await described(dir, "plan --base ")).toContain("v1\ttag");
    const linked = join(dir, "linked");
    git(dir, "worktree", "add", "-q", "--detach", linked);
    expect((await offered(linked, "plan --base ")).toSorted()).toEqual(all);
  });
});

describe("kinds and fields", () => {
  it("are kinds where the command takes them, and all schemas", async () => {
    expect(await offered("/", "export ")).toEqual(listedKinds);
    expect(await offered("/", "list TLSEdge ")).toEqual(listedKinds);
    expect(await offered("/", "schema ")).toEqual(schemaNames);
    expect(await described("/", "export ")).toContain(
      "ReservedAddress\tA hostname and port that the service assigns to the account",
    );
  });

  it("lead to a field step by step", async () => {
    expect(await offered("/", "explain ")).toContain("TLSEdge.");
    const fields = await offered("/", "explain TLSEdge.");
    expect(fields).toEqual(expect.arrayContaining(["TLSEdge.metadata.", "TLSEdge.description", "TLSEdge.spec."]));
    expect(fields).not.toContain("TLSEdge.metadata");
    expect(await described("/", "explain TLSEdge.tls_termination.")).toContainEqual(
      expect.stringMatching(/^TLSEdge\.tls_termination\.min_version\tThe oldest TLS version that is accepted/u),
    );
    expect(await offered("/", "explain TLSEdge.spec.tls_termination.m")).toContain(
      "TLSEdge.spec.tls_termination.min_version",
    );
    expect(await offered("/", "explain tlsedge.tls_termination.")).toContain("tlsedge.tls_termination.min_version");
    expect(await offered("/", "explain Config.environments.prod.")).toContain("Config.environments.prod.stack");
    for (const line of ["explain No.", "explain TLSEdge.no.", "explain TLSEdge.description.x.", "explain ..."])
      expect([line, await offered("/", line)]).toEqual([line, []]);
  });
});

describe("commands and flags", () => {
  const program = buildProgram(async () => undefined);

  it("are all that the help shows", async () => {
    const names = program.commands.map((command) => command.name());
    expect(await offered("/", "")).toEqual([...names, "help"]);
    expect(await offered("/", "help ")).toEqual(names);
    expect(await offered("/", "--")).toEqual(["--help", "--version"]);
    expect(await offered("/", "help plan ")).toEqual(["(nothing)"]);
    expect(await offered("/", "no-such ")).toEqual(["(nothing)"]);
    for (const command of program.commands) {
      const long = [...command.helpInformation().matchAll(/^ +(?:-\w, )?(--[\w-]+)/gmu)].map(([, flag]) => flag);
      expect(long.length).toBeGreaterThan(0);
      expect([command.name(), (await offered("/", `${command.name()} --`)).toSorted()]).toEqual([
        command.name(),
        long.toSorted(),
      ]);
    }
  });

  it("that were given are offered again only when they may be repeated", async () => {
    const flags = await offered("/", "plan --only A --quiet -e prod --");
    expect(flags).toContain("--only");
    expect(flags).not.toContain("--quiet");
    expect(flags).not.toContain("--environment");
    expect(await offered("/", "plan -")).toContain("-e");
  });

  it("have their values, in every form", async () => {
    const formats = ["text", "json", "markdown", "html", "github", "gitlab"];
    expect(await offered("/", "plan -o ")).toEqual(formats);
    expect(await offered("/", "plan --output ")).toEqual(formats);
    expect(await offered("/", "plan --output=")).toEqual(formats.map((format) => `--output=${format}`));
    expect(await offered("/", "plan -oj")).toEqual(formats.map((format) => `-o${format}`));
    expect(await offered("/", "plan -qoj")).toEqual(formats.map((format) => `-qo${format}`));
    expect(await offered("/", "policy ")).toEqual(["test"]);
    expect(await offered("/", "completion ")).toEqual(["bash", "zsh", "fish"]);
    for (const line of ["plan --max-deletes ", "approve ", "plan --base-url ", "plan --quiet=", "policy test "])
      expect([line, await offered("/", line)]).toEqual([line, ["(nothing)"]]);
  });
});
