import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { root } from "../../repository/source-files.ts";

interface Component {
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly hashes: readonly { readonly alg: string; readonly content: string }[];
  readonly properties: readonly { readonly name: string }[];
  readonly licenses: readonly { readonly license: { readonly id: string } }[];
}

interface Sbom {
  readonly components: readonly Component[];
}

/** What is installed with the package. */
function released(sbom: Sbom): readonly Component[] {
  return sbom.components
    .filter(({ properties }) => !properties.some(({ name }) => name === "cdx:npm:package:development"))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

const read = (path: string): string => readFileSync(join(root, path), "utf8");
const manifest = JSON.parse(read("package.json")) as {
  readonly files: readonly string[];
  readonly dependencies: { readonly [name: string]: string };
};

/** Every JavaScript file below a directory of dist, its path from the repository's root. */
function scripts(directory: string, recursive: boolean): readonly string[] {
  return readdirSync(join(root, directory), { recursive, encoding: "utf8" })
    .filter((path) => path.endsWith(".js"))
    .map((path) => join(directory, path));
}

/** The packages that files import, each once. */
function importsOf(files: readonly string[]): readonly string[] {
  const statement = /(?:^|[\s;(])(?:import|from|require)\s*\(?\s*"((?:@[\w.-]+\/)?[a-z][\w.-]*)(?:\/[^"]*)?"/gmu;
  const found = files.flatMap((path) => [...read(path).matchAll(statement)].map((match) => match[1] ?? ""));
  return [...new Set(found)].toSorted();
}

/** Whether edgewise itself asks for a package; others come with one that it asks for. */
function isOurs(name: string): boolean {
  return Object.hasOwn(manifest.dependencies, name);
}

function makeSbom(): string {
  const args = ["sbom", "--sbom-format", "cyclonedx"];
  const { status, stdout } = spawnSync("npm", args, { cwd: root, encoding: "utf8" });
  expect(status).toBe(0);
  return stdout;
}

describe("the bill of materials", () => {
  let sbom: Sbom;
  beforeAll(() => {
    sbom = JSON.parse(makeSbom()) as Sbom;
  });
  it("lists what is installed with the package: version, licence and hash of the lock file", () => {
    const lock = JSON.parse(read("package-lock.json")) as {
      readonly packages: { readonly [path: string]: { readonly dev?: boolean; readonly integrity?: string } };
    };
    const installed = Object.entries(lock.packages).filter(([path, { dev }]) => path !== "" && dev !== true);
    expect(released(sbom).map(({ name }) => `node_modules/${name}`)).toEqual(
      installed.map(([path]) => path).toSorted(),
    );
    for (const { name, version, purl, hashes, licenses } of released(sbom)) {
      const installed = JSON.parse(read(`node_modules/${name}/package.json`)) as { version: string; license: string };
      expect({ version, license: licenses[0]?.license.id }).toEqual({
        version: installed.version,
        license: installed.license,
      });
      expect(purl).toBe(`pkg:npm/${name.replace("@", "%40")}@${version}`);
      const integrity = lock.packages[`node_modules/${name}`]?.integrity ?? "";
      expect(hashes).toEqual([{ alg: "SHA-512", content: Buffer.from(integrity.slice(7), "base64").toString("hex") }]);
    }
  });

  it("lists every package that the released code imports", () => {
    expect(importsOf(scripts("dist", true))).toEqual(
      released(sbom)
        .map(({ name }) => name)
        .filter(isOurs)
        .toSorted(),
    );
  });
});

describe("the released package", () => {
  it("holds what a user needs, and no development files", () => {
    const { status, stdout } = spawnSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
      cwd: root,
      encoding: "utf8",
    });
    expect(status).toBe(0);
    const [packed] = JSON.parse(stdout) as readonly [{ readonly files: readonly { readonly path: string }[] }];
    const paths = packed.files.map(({ path }) => path);
    const unexpected =
      /^(LICENSE|README\.md|CHANGELOG\.md|SECURITY\.md|action\.yml|package\.json|schemas\/[a-z-]+\.schema\.json|docs\/([a-z-]+|README|commands\/([a-z-]+|README)|how-to\/[a-z-]+|reference\/([a-z-]+|README|manifests\/[A-Za-z]+))\.md|docs\/images\/[a-z-]+\.png|examples\/[a-z]+\/.+|dist\/sbom\.cdx\.json|dist\/edgewise\.mjs|dist\/bin\/LICENSES\.txt|dist\/([a-z0-9-]+\/)*[a-z0-9-]+(\.d\.ts|\.js))$/;
    expect(paths.filter((path) => !unexpected.test(path))).toEqual([]);
    for (const path of [
      "dist/bin/edgewise.js",
      "dist/edgewise.mjs",
      "dist/index.js",
      "dist/index.d.ts",
      "dist/bin/LICENSES.txt",
      "LICENSE",
    ]) {
      expect(paths).toContain(path);
    }
    expect(paths.filter((path) => /(^|\/)\.|\.(map|tsbuildinfo|tgz|key\.pem)$|\.test\./u.test(path))).toEqual([]);
    expect(paths.filter((path) => /^(src|test|scripts|bench)\//u.test(path))).toEqual([]);
  });

  it("holds no private key", () => {
    const { files } = manifest;
    const held = files
      .flatMap((path) => (existsSync(join(root, path)) && statSync(join(root, path)).isDirectory() ? [path] : []))
      .flatMap((directory) =>
        readdirSync(join(root, directory), { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name)),
      )
      .filter((path) => /-----BEGIN [A-Z ]*PRIVATE KEY-----\n[A-Za-z0-9+/]{16}/u.test(readFileSync(path, "utf8")));
    expect(held).toEqual([]);
  });
});
