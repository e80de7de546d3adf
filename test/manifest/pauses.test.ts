import { describe, expect, it } from "vitest";
import { loadManifests } from "../../src/manifest/load-manifests.ts";
import { memoryTree, optionsFor } from "./support/load-text.ts";

const backends = (count: number): string =>
  Array.from(
    { length: count },
    (_, index) =>
      `apiVersion: edgewise/v1\nkind: HTTPResponseBackend\nmetadata: {name: b-${index}}\nspec: {status_code: 200, body: "${"x".repeat(200)}"}\n`,
  ).join("---\n");

/** Loads files that are there at once. @returns how many manifests there are, and in how many turns files were read */
async function loaded(
  files: { readonly [path: string]: string },
  turns: () => number,
): Promise<{ manifests: number; turnsOfFiles: number }> {
  const encoder = new TextEncoder();
  const turnsOfFiles = new Set<number>();
  const read = (path: string): Uint8Array => {
    turnsOfFiles.add(turns());
    return encoder.encode(files[path] ?? "");
  };
  const { manifests } = await loadManifests(optionsFor("/root", { tree: { ...memoryTree(files), read } }));
  return { manifests: manifests.length, turnsOfFiles: turnsOfFiles.size };
}

/** Runs `use` with a count of the event loop's turns. */
async function withTurns<T>(use: (turns: () => number) => Promise<T>): Promise<T> {
  let turns = 0;
  let isRunning = true;
  const turn = (): void => {
    turns += 1;
    if (isRunning) setImmediate(turn);
  };
  setImmediate(turn);
  try {
    return await use(() => turns);
  } finally {
    isRunning = false;
  }
}

describe("loading many manifests", () => {
  it("lets the event loop have many turns, so that requests can go on meanwhile", async () => {
    await withTurns(async (turns) => {
      const { manifests } = await loaded({ "all.yaml": backends(4000) }, turns);
      expect(manifests).toBe(4000);
      // Each phase (reading, checks of one manifest, checks of all, making manifests) takes milliseconds for so many.
      expect(turns()).toBeGreaterThan(15);
    });
  });

  it("lets it have turns between files", async () => {
    const texts = backends(4000).split("---\n");
    await withTurns(async (turns) => {
      const files = Object.fromEntries(texts.map((text, index) => [`${index}.yaml`, text]));
      const { manifests, turnsOfFiles } = await loaded(files, turns);
      expect(manifests).toBe(4000);
      expect(turnsOfFiles).toBeGreaterThan(5);
    });
  });
});
