import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import type { Json } from "../../../../src/json.ts";
import type { limits as real } from "../../../../src/limits.ts";
import { listPages } from "../../../../src/api/list-pages.ts";
import { backend, stage } from "../../../commands/stage.ts";

// The same limits, small enough to be passed in a test.
vi.mock("../../../../src/limits.ts", async (original) => {
  const { limits } = await original<{ readonly limits: typeof real }>();
  return {
    limits: {
      ...limits,
      fileBytes: 20_000,
      configBytes: 5000,
      manifestBytes: 30_000,
      documents: 100,
      manifestFiles: 8,
      contentBytes: 40_000,
      directoryEntries: 40,
      patternLength: 100,
      globs: 10,
      globSteps: 3000,
      substitutedText: 2000,
      substituted: 5000,
      listResources: 50,
      listBytes: 5000,
      listPages: 20,
    },
  };
});

type Files = { readonly [path: string]: string };

const many = (count: number, of: (index: number) => string): readonly string[] =>
  Array.from({ length: count }, (_, i) => of(i));
const files = (count: number, of: (index: number) => readonly [path: string, text: string]): Files =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => of(i)));
const config = (more: string): string =>
  `apiVersion: edgewise/v1\nkind: Config\nstack: demo\n${more.includes("manifests:") ? "" : "manifests: [edge/]\n"}${more}`;

/** What `validate` says of files. */
async function validated(files: Files, args: readonly string[] = []): Promise<string> {
  const on = await stage();
  await mkdir(join(on.dir, "edge"), { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(on.dir, path, ".."), { recursive: true });
    await writeFile(join(on.dir, path), text);
  }
  const { exit, out, err } = await on.run("validate", ...args);
  expect(exit, out + err).toBe(1);
  expect(on.sandbox.requests().total).toBe(0);
  return out + err;
}

type Case = readonly [name: string, files: Files, words: RegExp];

const refuses = async (...[, added, words]: Case): Promise<void> => {
  expect(await validated({ "edge/sound.yaml": backend("sound"), ...added })).toMatch(words);
};

describe("A pull request adds more files than a machine can hold → an error says how many are read", () => {
  it.each<Case>([
    [
      "manifest files",
      files(9, (i) => [`edge/${i}.yaml`, backend(`n${i}`)]),
      /more than 8 manifest files \[input-too-large\]/u,
    ],
    [
      "other files",
      files(41, (i) => [`edge/${i}.txt`, "x"]),
      /holds more than 40 files and directories \[file-too-many\]/u,
    ],
    [
      "documents in one file",
      { "edge/a.yaml": many(101, (i) => backend(`n${i}`)).join("") },
      /more than 100 documents/u,
    ],
    ["empty documents in one file", { "edge/a.yaml": "...\n".repeat(101) }, /more than 100 documents/u],
    [
      "documents in all files",
      {
        "edge/a.yaml": many(60, (i) => backend(`n${i}`)).join(""),
        "edge/b.yaml": many(60, (i) => backend(`m${i}`)).join(""),
      },
      /more than 100 documents \[input-too-large\]/u,
    ],
  ])("%s", refuses);
});

describe("A pull request adds files that are too large → an error says which, and how much is read", () => {
  it.each<Case>([
    [
      "a manifest",
      { "edge/a.yaml": `#${"x".repeat(20_000)}\n` },
      /edge\/a\.yaml.* has 20002 bytes, more than the limit of 20000/u,
    ],
    [
      "manifests together",
      { "edge/a.yaml": `#${"x".repeat(19_000)}\n`, "edge/b.yaml": `#${"x".repeat(19_000)}\n` },
      /together have more than 30000 bytes \[input-too-large\]/u,
    ],
    [
      "a content file",
      { "edge/a.yaml": backend("a", "status_code: 200, body: {file: page}"), "edge/page": "x".repeat(20_001) },
      /"edge\/page" has 20001 bytes/u,
    ],
    [
      "one content file that many manifests name",
      {
        "edge/a.yaml": many(3, (i) => backend(`n${i}`, "status_code: 200, body: {file: page}")).join(""),
        "edge/page": "x".repeat(15_000),
      },
      /each counted as often as it is named \[input-too-large\]/u,
    ],
    ["the configuration", { "edgewise.yaml": config(`# ${"x".repeat(6000)}\n`) }, /has more than 5000 bytes/u],
  ])("%s", refuses);
});

describe("A pattern with braces and stars stands for more than can be compared → an error, and no pattern is left out", () => {
  it.each<Case>([
    ...[
      "{a,b}".repeat(12),
      "{a,b,c,d,e,f,g,h,i,j,k}",
      "{{a,b},{c,d},{e,f},{g,h},{i,j},{k,l}}/*",
      `{${",".repeat(50)}}*`,
      "{,}{,}{,}{,}{,}",
    ].map(
      (pattern) =>
        [pattern, { "edgewise.yaml": config(`manifests: ["${pattern}"]\n`) }, /more than 10 patterns/u] as const,
    ),
    [
      "many patterns with a star",
      { "edgewise.yaml": config(`manifests: [${many(11, (i) => `"e${"*".repeat(i + 1)}"`).join(", ")}]\n`) },
      /more than 10 patterns/u,
    ],
    [
      "a long pattern",
      { "edgewise.yaml": config(`manifests: ["${"a*".repeat(51)}"]\n`) },
      /102 characters, more than 100/u,
    ],
    [
      "a long pattern on many files",
      {
        ...files(30, (i) => [`edge/${i}.txt`, "x"]),
        "edgewise.yaml": config(`manifests: ["edge/${"*a".repeat(40)}"]\n`),
      },
      /too many files to match it against \[pattern-too-large\]/u,
    ],
  ])("%s", refuses);
});

describe("Variables blow a manifest up → an error at the text, before it is made", () => {
  it.each<Case>([
    [
      "one text",
      {
        "edgewise.yaml": config(`variables: {v: "${"x".repeat(500)}"}\n`),
        "edge/a.yaml": backend("a", `status_code: 200, body: "${"${{ vars.v }}".repeat(5)}"`),
      },
      /edge\/a\.yaml:4:.* more than 2000 characters after its variables are filled in/u,
    ],
    [
      "many texts",
      {
        "edgewise.yaml": config(`variables: {v: "${"x".repeat(500)}"}\n`),
        "edge/a.yaml": many(11, (i) => backend(`n${i}`, 'status_code: 200, body: "${{ vars.v }}"')).join(""),
      },
      /variables put more than 5000 characters into the manifests \[input-too-large\]/u,
    ],
    [
      "a map",
      {
        "edgewise.yaml": config(`variables: {v: {X-A: "${"x".repeat(900)}"}}\n`),
        "edge/a.yaml": many(6, (i) => backend(`n${i}`, 'status_code: 200, headers: "${{ vars.v }}"')).join(""),
      },
      /variables put more than 5000 characters into the manifests/u,
    ],
  ])("%s", refuses);
});

describe("A service answers with lists that do not end → the list is not believed, and nothing is planned", () => {
  const read = (items: number, length: number) => {
    let page = 0;
    const body = (): Json => ({
      items: many(items, (i) => `${page}-${i}`).map((id) => ({ id })),
      next_page_uri: `http://127.0.0.1:1/x?page=${++page}`,
    });
    return async () => ({ status: 200, body: body(), secrets: false, bytes: length });
  };
  it.each<readonly [string, number, number, RegExp]>([
    ["resources", 10, 100, /more than 50 resources/u],
    ["bytes", 1, 1000, /more than 5000 bytes/u],
    ["pages", 1, 10, /did not end after 20 pages/u],
    ["pages of which only some hold a resource", 0, 10, /did not end after 20 pages/u],
  ])("%s", async (_, items, length, words) => {
    const paging = { read: read(items, length), show: (text: string) => text };
    const list = listPages(new URL("http://127.0.0.1:1"), { path: "/x", member: "items" }, paging);
    await expect(list).rejects.toThrow(words);
  });
});
