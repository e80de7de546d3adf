import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { importsOf, root, sourceFiles, testAndToolFiles, withoutComments } from "./source-files.ts";

const written = sourceFiles().filter(({ folder }) => folder !== "generated");
const lines = (text: string) => text.split("\n").length - 1;

describe("source files", () => {
  it("are named in kebab-case", () => {
    expect(
      written
        .map(({ path }) => path)
        .filter((path) => !/^([a-z0-9]+(-[a-z0-9]+)*\/)*[a-z0-9]+(-[a-z0-9]+)*(\.d)?\.ts$/.test(path)),
    ).toEqual([]);
  });

  it("hold one subject each: few tiny files, none past 350 lines, a median between 60 and 130", () => {
    expect(written.filter(({ text }) => lines(text) > 350).map(({ path }) => path)).toEqual([]);
    const sizes = written.map(({ text }) => lines(text)).toSorted((a, b) => a - b);
    const median = sizes[Math.floor(sizes.length / 2)] ?? 0;
    expect(median).toBeGreaterThanOrEqual(60);
    expect(median).toBeLessThanOrEqual(130);
    expect(sizes.filter((size) => size <= 20).length).toBeLessThanOrEqual(16);
  });

  it("have unique names", () => {
    const names = written.map(({ path }) => path.slice(path.lastIndexOf("/") + 1));
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it("escape the type checker nowhere", () => {
    const escapes =
      /\bas any\b|:\s*any\b|<any>|@ts-(ignore|expect-error|nocheck)|\bas unknown as\b|^\s*(export\s+)?(const\s+)?enum\s/m;
    expect(written.filter(({ text }) => escapes.test(withoutComments(text))).map(({ path }) => path)).toEqual([]);
  });

  it("leave nothing for later", () => {
    expect(written.filter(({ text }) => /\b(TODO|FIXME|XXX|HACK)\b/.test(text)).map(({ path }) => path)).toEqual([]);
  });

  it("name no service", () => {
    expect(written.filter(({ text }) => /ngrok/i.test(text)).map(({ path }) => path)).toEqual([]);
  });
});

describe("tests and scripts", () => {
  const files = testAndToolFiles();

  it("import TypeScript files by their name on disk, with .ts", () => {
    expect(files.length).toBeGreaterThan(200);
    const wrong = files.flatMap((file) =>
      [...importsOf(file), ...mockedModulesOf(file)]
        .filter(({ specifier }) => /^\.{1,2}\/.*\.js$/.test(specifier))
        .filter(({ specifier }) => existsSync(join(root, dirname(file.path), specifier.replace(/js$/, "ts"))))
        .map(({ specifier }) => `${file.path} imports ${specifier}`),
    );
    expect(wrong).toEqual([]);
  });
});

function mockedModulesOf({ text }: { readonly text: string }) {
  return [...text.matchAll(/\bvi\.\w+\(\s*"([^"]+)"/g)].map((match) => ({ specifier: match[1] ?? "" }));
}
