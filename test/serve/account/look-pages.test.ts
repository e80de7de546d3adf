import { describe, expect, it } from "vitest";
import type { TraceEvent } from "../../../src/api/client.ts";
import { Stage, backend } from "./support/stage.ts";

describe("remembered pages of looks", () => {
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
