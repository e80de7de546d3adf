import { describe, expect, it } from "vitest";
import type { TraceEvent } from "../../../src/api/client.ts";
import { LookPages } from "../../../src/serve/account/look-pages.ts";
import { Stage, account, backend } from "./support/stage.ts";

const list = { baseUrl: account.baseUrl, collection: "/edges/tls" };

describe("remembered pages of looks", () => {
  it("are of one account, and of no use once a pass writes", () => {
    const pages = new LookPages();
    const first = pages.of(account);
    first.remember(list, ["a"]);
    expect(first.recall(list)).toEqual(["a"]);
    first.end();
    expect(first.recall(list)).toEqual([]);
    first.remember(list, ["b"]);
    expect(pages.of({ ...account, name: "alias" }).recall(list)).toEqual(["b"]);
    expect(pages.of({ ...account, key: { env: "OTHER" } }).recall(list)).toEqual([]);
    expect(pages.of({ ...account, baseUrl: "https://other.example" }).recall(list)).toEqual([]);
  });

  it("are asked for by looks, never by whoever writes or verifies", async () => {
    const stage = new Stage();
    stage.add("shop", { "a.yaml": backend("sorry", "Back soon") });
    for (let number = 0; number < 230; number += 1)
      stage.service.byHand("POST", "/backends/http_response", { status_code: 200, description: `${number}` });
    /** How many remembered pages each listing of a pass could use. */
    const usedBy = async (): Promise<number[]> => {
      const used: number[] = [];
      await stage.pass({
        deps: {
          connect: async (to, changes) =>
            stage.service.connect(to, {
              ...changes,
              trace: (event: TraceEvent) => {
                if (event.type === "remembered") used.push(event.counted);
                changes.trace?.(event);
              },
            }),
        },
      });
      return used;
    };
    expect(await usedBy()).toEqual([]);
    expect(await usedBy()).toEqual([2]);
    stage.commit({ "shop/m/a.yaml": backend("sorry", "Back later") });
    const before = stage.service.requests.length;
    // It looks, writes and verifies: only the look asks for remembered pages.
    expect(await usedBy()).toEqual([2]);
    expect(stage.service.writes.at(-1)).toMatch(/^PATCH /u);
    const listed = stage.service.requests.slice(before).filter(({ path }) => path === "/backends/http_response");
    expect(listed.length).toBeGreaterThan(1);
    stage.service.byHand("POST", "/backends/http_response", { status_code: 200 });
    expect(await usedBy()).toEqual([2]);
    expect(await stage.stateOf("shop")).toBe("synced");
  });
});
