import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isScalar, parseAllDocuments, visit } from "yaml";
import { makeCertificate } from "../../../scripts/certificate.mjs";
import { cli, plainEnvironment, startSandbox } from "../../../scripts/sandbox.mjs";
import { manifestMembers } from "../../../src/generated/manifest-members.ts";
import { isObject } from "../../../src/core/json.ts";
import { kindNames, listedKinds } from "../../../src/kinds/names.ts";
import { kinds } from "../../../src/kinds/registry.ts";
import { root } from "../../repository/source-files.ts";

const examples = join(root, "examples");

/** YAML files of one example that are configuration or manifests, not contents. */
function yamlFiles(example: string): readonly string[] {
  const directory = join(examples, example);
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((path) => path === "edgewise.yaml" || (path.startsWith("edge/") && path.endsWith(".yaml")))
    .map((path) => join(directory, path))
    .toSorted();
}

function kindsOf(example: string): readonly string[] {
  const kinds = yamlFiles(example).flatMap((path) =>
    parseAllDocuments(readFileSync(path, "utf8")).map((document): string => document.toJS().kind),
  );
  return [...new Set(kinds)].filter((kind) => kind !== "Config").toSorted();
}

/** The environment variables that the manifests of an example take secrets from. */
function secretsOf(example: string): readonly string[] {
  return yamlFiles(example).flatMap((path) => {
    const names: string[] = [];
    for (const document of parseAllDocuments(readFileSync(path, "utf8"))) {
      visit(document, {
        Pair: (_, { key, value }) => {
          if (isScalar(key) && key.value === "env" && isScalar(value)) names.push(String(value.value));
        },
      });
    }
    return names;
  });
}

function edgewise(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], {
    cwd,
    encoding: "utf8",
    env: { ...plainEnvironment(), NO_COLOR: "1", ...env },
  });
  return { status, stdout, stderr };
}

interface Diagnosed {
  readonly diagnostics: readonly { readonly severity: string; readonly code: string }[];
}

function validate(example: string, ...flags: readonly string[]) {
  const { status, stdout, stderr } = edgewise(join(examples, example), ["validate", "-o", "json", ...flags]);
  expect(stdout, stderr).toMatch(/^\{/);
  const { diagnostics }: Diagnosed = JSON.parse(stdout);
  return { status, found: diagnostics.map(({ severity, code }) => `${severity} ${code}`) };
}

describe.each(["quickstart", "production", "reference"])("examples/%s", (example) => {
  it("names the schema of every file for editors", () => {
    const wrong = yamlFiles(example).filter((path) => {
      const [first = ""] = readFileSync(path, "utf8").split("\n");
      const schema = /^# yaml-language-server: \$schema=(\.\.\/.+\.schema\.json)$/.exec(first)?.[1];
      const wanted = path.endsWith("edgewise.yaml") ? "config.schema.json" : "manifest.schema.json";
      return schema === undefined || resolve(dirname(path), schema) !== join(examples, "schemas", wanted);
    });
    expect(wrong).toEqual([]);
  });
});

describe("examples/quickstart", () => {
  it("has one manifest of each listed kind", () => {
    expect(kindsOf("quickstart")).toEqual(listedKinds.toSorted());
  });

  it("is valid, except for the secrets that are not there", () => {
    const secrets = secretsOf("quickstart");
    expect(secrets).toContain("QUICKSTART_TLS_KEY");
    expect(validate("quickstart")).toEqual({ status: 0, found: secrets.map(() => "warning secret-unavailable") });
  });
});

describe("examples/production", () => {
  it.each(["staging", "prod"])("is valid in %s, but for the secrets that are not there", (environment) => {
    const secrets = ["warning secret-unavailable", "warning secret-unavailable"];
    expect(validate("production", "-e", environment)).toEqual({ status: 0, found: secrets });
  });

  it("can't be used without an environment", () => {
    const { status, stderr, stdout } = edgewise(join(examples, "production"), ["validate"]);
    expect(status).toBe(1);
    expect(stdout + stderr).toMatch(/has no value/);
  });
});

describe("examples/reference", () => {
  const documents = yamlFiles("reference")
    .filter((path) => path.includes("/edge/"))
    .flatMap((path) => parseAllDocuments(readFileSync(path, "utf8")).map((document): unknown => document.toJS()));

  it("is valid, except for the secrets that are not there", () => {
    expect(validate("reference")).toEqual({
      status: 0,
      found: secretsOf("reference").map(() => "warning secret-unavailable"),
    });
  });

  // For a kind that is not here, docs/reference shows its manifest from the quickstart.
  it("has one manifest for each of its kinds", () => {
    expect(documents).toHaveLength(kindsOf("reference").length);
    expect(documents.length).toBeGreaterThan(6);
  });

  it.each(kindNames.filter((kind) => kindsOf("reference").includes(kind)))("names every field of %s", (kind) => {
    const members = manifestMembers[kind] ?? {};
    const document = documents.find((one) => isObject(one) && one["kind"] === kind);
    const missing = [
      "",
      "metadata",
      "lifecycle",
      "spec",
      ...Object.keys(kinds[kind].fields).map((name) => `spec.${name}`),
    ]
      // What may stand in a Ref or in the user's own data is a choice.
      .filter((path) => path !== "spec.metadata" && (members[path] ?? []).length > 1 && !isReference(members[path]))
      .flatMap((path) => (members[path] ?? []).map((name) => (path === "" ? name : `${path}.${name}`)))
      .filter((path) => !path.endsWith("*") && valueAt(document, path) === undefined);
    // A manifest with an id adopts something that exists.
    expect(missing).toEqual((listedKinds as readonly string[]).includes(kind) ? ["metadata.id"] : []);
  });
});

function isReference(members: readonly string[] | undefined): boolean {
  return (members ?? []).every((name) => ["id", "name", "env", "file", "address"].includes(name));
}

function valueAt(value: unknown, path: string): unknown {
  return path.split(".").reduce((part, name) => (isObject(part) ? part[name] : undefined), value);
}

describe("examples/production against the sandbox", () => {
  let sandbox: Awaited<ReturnType<typeof startSandbox>>;
  let directory: string;
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    sandbox = await startSandbox();
    directory = mkdtempSync(join(tmpdir(), "edgewise-production-"));
    cpSync(join(examples, "production"), directory, { recursive: true });
    const pair = await makeCertificate(["example.com", "*.example.com"]);
    writeFileSync(join(directory, "certificates/wildcard.pem"), pair.certificate);
    // The sandbox is another account: the same environment with another address.
    const file = join(directory, "edgewise.yaml");
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(/^ +api: \{ baseUrl: .+\n/gm, ""));
    env = { ...sandbox.env, WILDCARD_TLS_KEY: pair.key, GITHUB_WEBHOOK_SECRET: "not-a-real-secret" };
  });
  afterAll(() => {
    sandbox.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  it("applies, converges, and shows no secret on the way", () => {
    const applied = edgewise(directory, ["apply", "-e", "prod", "--auto-approve", "--verbose"], env);
    expect(applied.status, applied.stdout + applied.stderr).toBe(0);
    for (const secret of ["not-a-real-secret", "PRIVATE KEY", sandbox.apiKey]) {
      expect(applied.stdout + applied.stderr).not.toContain(secret);
    }
    expect(edgewise(directory, ["plan", "-e", "prod", "--detailed-exitcode"], env)).toMatchObject({ status: 0 });
    expect(edgewise(directory, ["drift", "-e", "prod"], env)).toMatchObject({ status: 0 });
  });
});
