import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type * as Limits from "../../src/limits.ts";
import { overlaidTree } from "../../src/commands/support/manifest-files.ts";
import { diskTree } from "../../src/manifest/disk-tree.ts";
import { FileProblem, type FileTree } from "../../src/manifest/file-tree.ts";
import { loadManifests } from "../../src/manifest/load-manifests.ts";
import { type KnownFileCalls, knownFileCalls } from "../../src/manifest/read-ahead.ts";
import { runs } from "../support/runs.ts";
import { type Files, memoryTree, optionsFor, withFiles } from "./support/load-text.ts";

vi.mock("../../src/limits.ts", async (original) => {
  const { limits } = await original<typeof Limits>();
  return { limits: { ...limits, fileBytes: 4000, manifestBytes: 16_000, documents: 60 } };
});

const backend = (name: string) =>
  `apiVersion: edgewise/v1\nkind: HTTPResponseBackend\nmetadata: {name: ${name}}\nspec: {status_code: 200}\n`;

const manyFiles = (count: number): Files =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`edge/${index}.yaml`, backend(`b-${index}`)]));

/** Reads every file with every check, one after the other. */
const withCare: KnownFileCalls = { ...knownFileCalls, directory: () => null };

/** A clock that makes every file look slow. */
function slowCalls(calls: KnownFileCalls = knownFileCalls): KnownFileCalls {
  let ms = 0;
  return { ...calls, clock: () => (ms += 50) };
}

const load = (root: string, calls: KnownFileCalls) =>
  loadManifests(optionsFor(root, { tree: diskTree(root, calls), patterns: ["edge"] }));

describe("a file of a directory that was listed", () => {
  it.each([
    ["quick", knownFileCalls, 64],
    ["slow", slowCalls(), 16],
  ])("is not read beyond a limit by much on a %s disk", async (_what, calls, beyond) => {
    // 16,000 bytes are allowed.
    const large: Files = Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [`edge/${100 + index}.yaml`, `# ${"x".repeat(2000)}\n`]),
    );
    await withFiles(large, async (root) => {
      let read = 0;
      const counting: KnownFileCalls = {
        ...calls,
        directory: (path) => {
          const opened = calls.directory(path);
          if (opened === null) return null;
          return {
            ...opened,
            read: (name) => {
              read += 1;
              return opened.read(name);
            },
          };
        },
        later: (path) => {
          read += 1;
          return calls.later(path);
        },
      };
      const { diagnostics } = await load(root, counting);
      expect(diagnostics.map(({ code, file }) => `${file} ${code}`)).toEqual(["edge/107.yaml input-too-large"]);
      expect(read).toBeLessThanOrEqual(8 + beyond);
    });
  });
});

describe("what changes between the listing of a directory and the reading of its files", () => {
  const outside = { "outside/a.yaml": backend("stolen"), "outside/b.yaml": backend("stolen-too") };
  const inside = { "root/edge/a.yaml": backend("a"), "root/edge/b.yaml": backend("b") };

  /** Changes the files after they were listed, and before the first is read. */
  async function loadAfter(change: (root: string) => void, make: (calls: KnownFileCalls) => KnownFileCalls) {
    return withFiles({ ...outside, ...inside }, async (above) => {
      const root = join(above, "root");
      const tree = diskTree(root, make(knownFileCalls));
      const late = {
        ...tree,
        list: async (directory: string) => {
          const list = await tree.list(directory);
          change(root);
          return list;
        },
      };
      return loadManifests(optionsFor(root, { tree: late, patterns: ["edge"] }));
    });
  }

  const changes: readonly (readonly [string, (root: string) => void, readonly string[]])[] = [
    [
      "a file becomes a link that leads out",
      (root) => {
        fs.rmSync(join(root, "edge/a.yaml"));
        fs.symlinkSync("../../outside/a.yaml", join(root, "edge/a.yaml"));
      },
      ["edge/a.yaml file-outside"],
    ],
    [
      "a directory becomes a link that leads out",
      (root) => {
        fs.renameSync(join(root, "edge"), join(root, "old"));
        fs.symlinkSync("../outside", join(root, "edge"));
      },
      ["edge/a.yaml file-outside", "edge/b.yaml file-outside"],
    ],
    [
      "a file becomes a pipe",
      (root) => {
        fs.rmSync(join(root, "edge/a.yaml"));
        execFileSync("mkfifo", [join(root, "edge/a.yaml")]);
      },
      ["edge/a.yaml file-missing"],
    ],
    [
      "a file becomes a directory",
      (root) => {
        fs.rmSync(join(root, "edge/a.yaml"));
        fs.mkdirSync(join(root, "edge/a.yaml"));
      },
      ["edge/a.yaml file-missing"],
    ],
    ["a file vanishes", (root) => fs.rmSync(join(root, "edge/b.yaml")), ["edge/b.yaml file-missing"]],
    [
      "a file grows beyond the limit",
      (root) => fs.writeFileSync(join(root, "edge/b.yaml"), "x".repeat(4001)),
      ["edge/b.yaml file-too-large"],
    ],
    ["a file loses its content", (root) => fs.writeFileSync(join(root, "edge/b.yaml"), ""), []],
  ];

  it.each(changes)("%s", async (_what, change, expected) => {
    for (const make of [(calls: KnownFileCalls) => calls, slowCalls]) {
      const { diagnostics, manifests } = await loadAfter(change, make);
      expect(diagnostics.map(({ code, file }) => `${file} ${code}`)).toEqual(expected);
      expect(manifests.map(({ name }) => name)).not.toContain("stolen");
    }
  });

  it("a link inside of the root is followed, as if it had been there when the directory was listed", async () => {
    const { diagnostics, manifests } = await loadAfter(
      (root) => {
        fs.renameSync(join(root, "edge"), join(root, "old"));
        fs.symlinkSync("old", join(root, "edge"));
      },
      (calls) => calls,
    );
    expect(diagnostics).toEqual([]);
    expect(manifests.map(({ name }) => name)).toEqual(["a", "b"]);
  });
});

const names = ["a", "b", "c", "d.yaml", "e.yaml", "f.yml", ".h.yaml", "g.md"] as const;
const place = fc
  .array(fc.constantFrom(...names), { minLength: 1, maxLength: 3 })
  .map((parts) => `edge/${parts.join("/")}`);
const content = fc.oneof(
  fc.nat(5).map((index) => backend(`b-${index}`)),
  fc.nat(5).map((index) => `${backend(`c-${index}`)}---\n${backend(`d-${index}`)}`),
  fc.constantFrom(
    "",
    "a: [\n",
    "kind: Nothing\n",
    "\ufeffx: 1\n",
    "x: \ud800\n",
    `# ${"x".repeat(3000)}\n`,
    `# ${"x".repeat(5000)}\n`,
    "a: 1\n---\n".repeat(30),
    "apiVersion: edgewise/v1\nkind: TLSEdge\nmetadata: {name: e}\nspec: {hostports: ['a.example:443'], traffic_policy: {value: {file: d.yaml}}}\n",
  ),
);
const entry = fc.oneof(
  { weight: 4, arbitrary: fc.record({ place, content }) },
  {
    weight: 1,
    arbitrary: fc.record({
      place,
      target: fc.constantFrom(
        "d.yaml",
        "e.yaml",
        ".",
        "..",
        "a",
        "../a",
        "gone.yaml",
        ".h.yaml",
        "../../../x",
        "f.yml",
      ),
    }),
  },
);

it("reading ahead gives the manifests and diagnostics of reading one after the other, whatever lies in a directory", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(entry, { maxLength: 25 }), async (entries) => {
      await withFiles({ "edge/": "", "x/d.yaml": backend("x") }, async (root) => {
        for (const one of entries) {
          const path = join(root, one.place);
          try {
            fs.mkdirSync(join(path, ".."), { recursive: true });
            if ("content" in one) fs.writeFileSync(path, one.content, { flag: "wx" });
            else fs.symlinkSync(one.target, path);
          } catch {
            // Something else is there already.
          }
        }
        const careful = await load(root, withCare);
        for (const calls of [knownFileCalls, slowCalls()]) {
          const found = await load(root, calls);
          expect(found.diagnostics).toEqual(careful.diagnostics);
          expect(JSON.stringify(found.manifests)).toBe(JSON.stringify(careful.manifests));
        }
      });
    }),
    runs(15),
  );
});

it("files that are there at once give the manifests and diagnostics of files that are waited for", async () => {
  const path = fc.constantFrom("a.yaml", "b.yaml", "c/d.yaml", "c/e.yml", "d.yaml");
  await fc.assert(
    fc.asyncProperty(fc.dictionary(path, content), fc.option(path), async (texts, missing) => {
      const waited = memoryTree(texts);
      const encoder = new TextEncoder();
      const atOnce: FileTree = {
        ...waited,
        read(asked) {
          const text = texts[asked];
          if (text === undefined || asked === missing)
            throw new FileProblem("file-missing", `there is no file "${asked}"`);
          return encoder.encode(text);
        },
      };
      const [expected, found] = await Promise.all(
        [{ ...atOnce, read: async (asked: string) => atOnce.read(asked) }, atOnce].map((tree) =>
          loadManifests(optionsFor("/root", { tree })),
        ),
      );
      expect(found?.diagnostics).toEqual(expected?.diagnostics);
      expect(JSON.stringify(found?.manifests)).toBe(JSON.stringify(expected?.manifests));
    }),
    runs(50),
  );
});

it("a file that is given with another content is read from disk when it is asked for there", async () => {
  await withFiles(manyFiles(3), async (root) => {
    const disk = diskTree(root);
    const texts = new Map([["edge/1.yaml", backend("other")]]);
    const load = loadManifests(optionsFor(root, { tree: overlaidTree(disk, texts), patterns: ["edge"] }));
    expect((await load).manifests.map(({ name }) => name)).toEqual(["b-0", "b-2", "other"]);
    fs.writeFileSync(join(root, "edge/1.yaml"), "changed meanwhile");
    expect(String(await disk.read("edge/1.yaml"))).toBe("changed meanwhile");
  });
});
