import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ResourceCollection } from "../../src/model/world.ts";
import { runs } from "../support/runs.ts";

describe("a collection", () => {
  it("pages as a plain list would, whatever was put and removed before", () => {
    const change = fc.record({ put: fc.boolean(), n: fc.nat({ max: 200 }) });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 400 }), fc.integer({ min: 1, max: 20 }), (changes, limit) => {
        const collection = new ResourceCollection();
        let plain: string[] = [];
        for (const { put, n } of changes) {
          const id = `x${n}`;
          if (put) {
            collection.put(id, { id });
            if (!plain.includes(id)) plain = [id, ...plain];
          } else {
            collection.remove(id);
            plain = plain.filter((each) => each !== id);
          }
        }
        const paged: unknown[] = [];
        for (let before: string | null = null; ;) {
          const page = collection.page(limit, before);
          paged.push(...(page?.resources ?? []).map((each) => each["id"]));
          before = page?.next ?? null;
          if (before === null) break;
        }
        expect(paged).toEqual(plain);
        expect(collection.size).toBe(plain.length);
        expect(Array.from(collection, ([id]) => id)).toEqual(plain);
      }),
      runs(80),
    );
  });
});
