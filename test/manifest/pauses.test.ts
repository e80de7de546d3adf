import { describe, expect, it } from "vitest";
import { loadManifests } from "../../src/manifest/load-manifests.ts";
import { optionsFor, withFiles } from "./support/load-text.ts";

const backends = (count: number): string =>
  Array.from(
    { length: count },
    (_, index) =>
      `apiVersion: edgewise/v1\nkind: HTTPResponseBackend\nmetadata: {name: b-${index}}\nspec: {status_code: 200, body: "${"x".repeat(200)}"}\n`,
  ).join("---\n");

describe("loading many manifests", () => {
  it("lets the event loop have many turns, so that requests can go on meanwhile", async () => {
    await withFiles({ "all.yaml": backends(4000) }, async (root) => {
      let turns = 0;
      let isLoading = true;
      const turn = (): void => {
        turns += 1;
        if (isLoading) setImmediate(turn);
      };
      setImmediate(turn);
      const { manifests } = await loadManifests(optionsFor(root, { patterns: ["all.yaml"] }));
      isLoading = false;
      expect(manifests).toHaveLength(4000);
      // Each phase (reading, checks of one manifest, checks of all, making manifests) takes milliseconds for so many.
      expect(turns).toBeGreaterThan(15);
    });
  });
});
