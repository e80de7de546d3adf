import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../../repository/source-files.ts";

const read = (path: string): string => readFileSync(join(root, path), "utf8");
const manifest = JSON.parse(read("package.json")) as {
  readonly files: readonly string[];
  readonly dependencies: { readonly [name: string]: string };
};

function scripts(directory: string, recursive: boolean): readonly string[] {
  return readdirSync(join(root, directory), { recursive, encoding: "utf8" })
    .filter((path) => path.endsWith(".js"))
    .map((path) => join(directory, path));
}

function importsOf(files: readonly string[]): readonly string[] {
  const statement = /(?:^|[\s;(])(?:import|from|require)\s*\(?\s*"((?:@[\w.-]+\/)?[a-z][\w.-]*)(?:\/[^"]*)?"/gmu;
  const found = files.flatMap((path) => [...read(path).matchAll(statement)].map((match) => match[1] ?? ""));
  return [...new Set(found)].toSorted();
}

describe("the released package", () => {
  it("asks for every package that its code imports, and for no other", () => {
    expect(importsOf(scripts("dist", true))).toEqual(Object.keys(manifest.dependencies).toSorted());
  });

  it("holds what a user needs, and no development files", () => {
    const { status, stdout } = spawnSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
      cwd: root,
      encoding: "utf8",
    });
    expect(status).toBe(0);
    const [packed] = JSON.parse(stdout) as readonly [{ readonly files: readonly { readonly path: string }[] }];
    const paths = packed.files.map(({ path }) => path);
    const unexpected =
      /^(LICENSE|README\.md|CHANGELOG\.md|SECURITY\.md|action\.yml|package\.json|schemas\/[a-z-]+\.schema\.json|docs\/((ci|commands|how-to|serve)\/)?([a-z-]+|README)\.md|docs\/reference\/([a-z-]+|README|manifests\/[A-Za-z]+)\.md|docs\/reference\/example\/.+|docs\/terraform\/[a-z.]+|docs\/images\/[a-z-]+\.png|examples\/[a-z]+\/.+|dist\/sbom\.cdx\.json|dist\/edgewise\.mjs|dist\/bin\/LICENSES\.txt|dist\/([a-z0-9-]+\/)*[a-z0-9-]+(\.d\.ts|\.js))$/;
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
