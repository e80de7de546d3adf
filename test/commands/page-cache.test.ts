import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { limits } from "../../src/core/limits.ts";
import { violations } from "../schemas/all-schemas.ts";
import { relay } from "../support/relay.ts";
import { type Ran, type Stage, stage } from "./stage.ts";

const backends = (count: number): { id: string; description: string; status_code: number }[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `bkdhr_${String(count - index).padStart(4, "0")}`,
    description: `number ${count - index}`,
    metadata: "",
    body: "",
    headers: {},
    status_code: 200,
    created_at: new Date(Date.UTC(2030, 0, 1, 0, count - index)).toISOString(),
    uri: "",
  }));

async function pagedStage(): Promise<Stage> {
  const at = await stage({ lists: { HTTPResponseBackend: backends(23) }, pageSize: 5 });
  await at.write(
    "edge/one.yaml",
    "apiVersion: edgewise/v1\nkind: HTTPResponseBackend\nmetadata: {name: mine}\nspec: {status_code: 404}\n",
  );
  return at;
}

function requestsIn({ err }: Ran): readonly string[] {
  return [...err.matchAll(/^> #\d+ GET \/backends\/http_response(\S*)$/gm)].map((match) => match[1] ?? "");
}

const usedIn = ({ err }: Ran): string | null =>
  /GET \/backends\/http_response: (\d+ of \d+) remembered pages/.exec(err)?.[1] ?? null;

const plan = ["plan", "--page-cache", "pages.json", "-v", "-o", "json"] as const;

async function cacheOf(at: Stage): Promise<{ lists: { baseUrl: string; collection: string; pages: string[] }[] }> {
  return JSON.parse(await at.read("pages.json"));
}

describe("--page-cache", () => {
  it("remembers where pages are, and asks for them side by side next time", async () => {
    const at = await pagedStage();
    let awaited = 0;
    let all = (): void => undefined;
    const allCame = new Promise<void>((resolve) => (all = resolve));
    at.env["EDGEWISE_BASE_URL"] = await relay(at.sandbox.baseUrl, {}, async () => {
      if (awaited === 0) return;
      awaited -= 1;
      if (awaited === 0) all();
      await allCame;
    });
    const cold = await at.run(...plan);
    expect(usedIn(cold)).toBeNull();
    const cache = await cacheOf(at);
    expect(violations("pages", cache)).toEqual([]);
    expect(cache.lists.map(({ collection, pages }) => [collection, pages.length])).toEqual([
      ["/backends/http_response", 4],
    ]);

    // Nothing is answered before all requests were sent, which therefore need no answer.
    awaited = cold.err.match(/^> #/gmu)?.length ?? 0;
    const warm = await at.run(...plan, "--concurrency", "20");
    expect(usedIn(warm)).toBe("4 of 4");
    expect([...requestsIn(warm)].toSorted()).toEqual([...requestsIn(cold)].toSorted());
    expect(warm.out).toBe(cold.out);
    expect(warm.err.indexOf("< #")).toBeGreaterThan(warm.err.lastIndexOf("> #"));
    expect(cold.err.indexOf("< #")).toBeLessThan(cold.err.lastIndexOf("> #"));
  });

  it("works for drift and export, and for apply, which verifies without it", async () => {
    const at = await pagedStage();
    await at.run(...plan);
    for (const [exit, ...command] of [
      [2, "drift"],
      [0, "export", "--all"],
    ] as const) {
      const ran = await at.run(...command, "-v", "--page-cache", "pages.json");
      expect(ran.exit, ran.err).toBe(exit);
      expect(usedIn(ran)).toBe("4 of 4");
    }
    const applied = await at.run("apply", "-y", "-v", "--page-cache", "pages.json");
    expect(applied.exit, applied.err).toBe(0);
    expect(applied.err.match(/remembered pages/g)).toHaveLength(1);
    expect(usedIn(applied)).toBe("4 of 4");
    expect(requestsIn(applied)).toHaveLength(10);
    expect(usedIn(await at.run(...plan))).toBe("4 of 4");
  });

  it("is named by the configuration, too, relative to it", async () => {
    const at = await pagedStage();
    const config = await at.read("edgewise.yaml");
    await mkdir(join(at.dir, "cache"));
    await at.write("edgewise.yaml", `${config}api: {pageCache: cache/pages.json}\n`);
    const cold = await at.run("plan");
    expect(cold.exit, cold.err).toBe(0);
    expect(usedIn(await at.run("plan", "-v"))).toBe("4 of 4");
    expect(JSON.parse(await at.read("cache/pages.json"))).toMatchObject({ format: "edgewise.pages/v1" });
    for (const bad of ["../pages.json", ".git/config"]) {
      await at.write("edgewise.yaml", `${config}api: {pageCache: ${bad}}\n`);
      const refused = await at.run("plan");
      expect(refused.exit, bad).toBe(1);
      expect(refused.err).toContain("bad-page-cache");
    }
  });

  it.each([
    ["broken", "{", "it is not valid JSON"],
    [
      "incomplete",
      '{"format":"edgewise.pages/v1","lists":[{"baseUrl":"x","collection":"y","pages":[1]}]}',
      "a list in it is broken",
    ],
    ["too large", " ".repeat(limits.pageCacheBytes + 1), "it has more than"],
  ])("is ignored with a warning, and left alone, when it is %s", async (_, text, why) => {
    const at = await pagedStage();
    await at.write("pages.json", text);
    const written = await at.read("pages.json");
    const ran = await at.run(...plan);
    expect(ran.exit).toBe(0);
    expect(ran.err).toContain("warning: the page cache pages.json");
    expect(ran.err).toContain(why);
    expect(ran.err).toContain("remove it, or name another file");
    expect(await at.read("pages.json")).toBe(written);
  });

  it("can't change a plan, whoever wrote it", async () => {
    const at = await pagedStage();
    const plain = await at.run("plan", "-o", "json");
    await at.run(...plan);
    const [list] = (await cacheOf(at)).lists;
    const { baseUrl, collection, pages } = list ?? { baseUrl: "", collection: "", pages: [] };
    const first = `${baseUrl}${collection}`;
    const ids = backends(23).map(({ id }) => `${first}?before_id=${id}&limit=5`);
    const hostile: readonly (readonly string[])[] = [
      ["http://127.0.0.1:1/backends/http_response?before_id=bkdhr_0019&limit=5"],
      [`${baseUrl}/edges/tls?before_id=bkdhr_0019&limit=5`],
      [`${baseUrl.replace("//", "//user:pw@")}${collection}?before_id=bkdhr_0019&limit=5`],
      [...pages, ...pages, first],
      ids.toReversed(),
      ids.map((address) => address.replace("limit=5", "limit=1")),
      Array.from({ length: 9000 }, (_, index) => `${first}?before_id=bkdhr_x${index}&limit=5`),
    ];
    for (const addresses of hostile) {
      await at.write(
        "pages.json",
        JSON.stringify({ format: "edgewise.pages/v1", lists: [{ baseUrl, collection, pages: addresses }] }),
      );
      const ran = await at.run(...plan);
      expect(ran.exit).toBe(0);
      expect(ran.out).toBe(plain.out);
      expect(requestsIn(ran).length).toBeLessThanOrEqual(5 + 24);
      expect(ran.err).not.toContain("GET /edges/tls?");
      expect((await cacheOf(at)).lists).toEqual([
        { baseUrl, collection, pages: expect.arrayContaining(pages.slice(-1)) },
      ]);
    }
  });
});
