import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { isScalar, parseAllDocuments, visit } from "yaml";
import { cli, plainEnvironment } from "../../../scripts/sandbox.mjs";
import { listedKinds } from "../../../src/kinds/names.ts";
import { root } from "../../repository/source-files.ts";

const examples = join(root, "examples");

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

function edgewise(cwd: string, args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], {
    cwd,
    encoding: "utf8",
    env: { ...plainEnvironment(), NO_COLOR: "1" },
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

describe.each(["quickstart", "production"])("examples/%s", (example) => {
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

describe("docs/reference/example", () => {
  it("is valid, except for the secrets that are not there", () => {
    expect(validate("../docs/reference/example")).toEqual({
      status: 0,
      found: secretsOf("../docs/reference/example").map(() => "warning secret-unavailable"),
    });
  });
});
