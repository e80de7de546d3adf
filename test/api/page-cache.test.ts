import { describe, expect, it } from "vitest";
import { parsePageCache, renderPageCache } from "../../src/api/page-cache.ts";
import { limits } from "../../src/core/limits.ts";
import { violations } from "../schemas/all-schemas.ts";

const baseUrl = "https://api.test";
const list = (collection: string, ...pages: string[]) => ({ baseUrl, collection, pages });

describe("a page cache", () => {
  it("is read as it was written, and written the same in whichever order its lists come", () => {
    const lists = [list("/b", "1", "2"), list("/a", "3"), { ...list("/c", "4"), baseUrl: "https://api.a.test" }];
    const text = renderPageCache(lists);
    expect(violations("pages", JSON.parse(text))).toEqual([]);
    expect(parsePageCache(text)).toEqual([lists[2], lists[1], lists[0]]);
    expect(renderPageCache(lists.toReversed())).toBe(text);
    expect(violations("pages", JSON.parse(renderPageCache([])))).toEqual([]);
    expect(parsePageCache("")).toEqual([]);
  });

  it("leaves out the first lists when it would be larger than it may be read", () => {
    const long = Array.from({ length: 60 }, (_, index) => `${index}${"x".repeat(limits.pageAddress)}`);
    const lists = Array.from({ length: 500 }, (_, index) => list(`/${index}`, ...long));
    const text = renderPageCache(lists);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(limits.pageCacheBytes);
    const read = parsePageCache(text);
    if (typeof read === "string") expect.fail(read);
    expect(read.length).toBeGreaterThan(200);
    expect(read.some(({ collection }) => collection === "/499")).toBe(true);
    expect(read.some(({ collection }) => collection === "/0")).toBe(false);

    const many = Array.from({ length: 9 }, (_, index) =>
      list(`/${index}`, ...Array.from({ length: 10_000 }, (__, page) => `${page}`)),
    );
    expect(parsePageCache(renderPageCache(many))).toHaveLength(limits.rememberedPages / 10_000);
  });
});
