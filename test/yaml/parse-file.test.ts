import { describe, expect, it } from "vitest";
import { parseFile } from "../../src/yaml/parse-file.ts";
import { load, places } from "../manifest/support/load-text.ts";

const values = (text: string) => parseFile(text).documents.map(({ value }) => value);
const codes = (text: string) => parseFile(text).problems.map(({ code }) => code);

describe("YAML", () => {
  it("takes several documents, comments and empty documents", () => {
    const text = "# head\n---\na: 1\n---\n# nothing\n---\n~\n---\n\n--- # b\nb: 2\n...\n# tail\n";
    expect(values(text)).toEqual([{ a: 1 }, { b: 2 }]);
    expect(codes(text)).toEqual([]);
  });

  it("reads the core schema of YAML 1.2", () => {
    expect(
      values("{a: yes, b: 0o14, c: 0x1F, d: 1.50, e: 2024-01-01, f: 12:30, g: true, h: ~, i: -0, j: 0777}"),
    ).toEqual([{ a: "yes", b: 12, c: 31, d: 1.5, e: "2024-01-01", f: "12:30", g: true, h: null, i: 0, j: 777 }]);
  });

  it.each([
    ["a: 1\na: 2", "yaml-duplicate-key"],
    ["{a: 1, 'a': 2}", "yaml-duplicate-key"],
    ["<<: {a: 1}", "yaml-merge-key"],
    ["a: *nowhere", "yaml-alias"],
    ["a: &a [*a]", "yaml-alias"],
    ["a: !custom x", "yaml-tag"],
    ["1: a", "yaml-key"],
    ["? [a]\n: b", "yaml-key"],
    ["__proto__: {polluted: true}", "yaml-key"],
    ["a: .inf", "yaml-number"],
    ["a: 12345678901234567890", "yaml-number"],
    ['a: "half \\uD83D"', "yaml-text"],
    ["%YAML 1.1\n---\na: yes", "yaml-directive"],
    ["a:\n\tb: 1", "yaml-syntax"],
    ['a: "\\q"', "yaml-syntax"],
  ])("refuses %j as %s", (text, code) => {
    expect(codes(text)).toContain(code);
    expect(values(text)).toEqual([]);
  });

  it("goes on with the documents after a broken one", () => {
    expect(values("a: [\n---\nb: 2\n")).toEqual([{ b: 2 }]);
  });
});

describe("hostile YAML", () => {
  it.each([
    ["nested lists", "[".repeat(100_000), "yaml-depth"],
    ["nested maps", Array.from({ length: 2000 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n"), "yaml-depth"],
    ["aliases of aliases", bomb(), "yaml-alias"],
    ["many duplicate keys", "a: 1\n".repeat(10_000), "yaml-duplicate-key"],
  ])("%s", (_name, text, code) => {
    const { documents, problems } = parseFile(text);
    expect(documents).toEqual([]);
    expect(problems.map((problem) => problem.code)).toContain(code);
    expect(problems.length).toBeLessThanOrEqual(20);
  });
});

describe("bytes", () => {
  const edge = 'apiVersion: edgewise/v1\nkind: TLSEdge\nmetadata: {name: api}\nspec: {hostports: ["a.example:443"]}\n';

  it("may begin with a byte order mark and end lines like Windows", async () => {
    const { manifests, diagnostics } = await load({ "a.yaml": `\ufeff${edge.replaceAll("\n", "\r\n")}` });
    expect(diagnostics).toEqual([]);
    expect(manifests.map(({ address }) => address)).toEqual(["TLSEdge/api"]);
  });

  it("keep columns right after Windows line ends", async () => {
    const text = `${edge}---\n${edge.replace("TLSEdge", "TLSEdg")}`.replaceAll("\n", "\r\n");
    expect(places(await load({ "a.yaml": text }))).toEqual(["a.yaml:7:7 unknown-kind"]);
  });

  it.each([
    ["Latin 1", Buffer.from("a: \u00fc", "latin1")],
    ["UTF-16", Buffer.from(`\ufeff${edge}`, "utf16le")],
    ["NUL", Buffer.from("a: \0")],
  ])("refuses %s", async (_name, bytes) => {
    expect(places(await load({ "a.yaml": bytes }))).toEqual(["a.yaml:1:1 file-encoding"]);
  });

  it("refuses files of more than 8 MiB", async () => {
    expect(places(await load({ "a.yaml": Buffer.alloc(8 * 1024 * 1024 + 1, " ") }))).toEqual([
      "a.yaml:1:1 file-too-large",
    ]);
  });
});

function bomb(): string {
  const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"];
  for (let level = 1; level < 12; level++) lines.push(`a${level}: &a${level} [${`*a${level - 1}, `.repeat(10)}]`);
  return lines.join("\n");
}
