import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../src/core/json.ts";
import { forListedKinds } from "../../src/kinds/names.ts";
import { problems, violationsOf } from "../../src/model/effects.ts";
import { listAll, worldFrom } from "../../src/model/world-seed.ts";
import { idOf, service } from "./service.ts";
import { runs } from "../support/runs.ts";

const nothing = forListedKinds((): JsonObject[] => []);
const live = {
  ...nothing,
  TLSEdge: [
    { id: "edgtls_2", hostports: ["b.example:443"], backend: { backend: { id: "bkdhr_gone" } }, colour: "red" },
    { id: "edgtls_1", hostports: ["a.example:443", 7], backend: null },
  ],
  HTTPResponseBackend: [{ id: "bkdhr_1", status_code: 200, headers: null }],
};

describe("violations", () => {
  it("are what a step added, not what was there", () => {
    const s = service({}, { lists: live });
    expect(problems(s.world)).toHaveLength(1);
    s.done("PATCH", "/edges/tls/edgtls_2", { description: "x" });
    expect(violationsOf(s.world, s.effects())).toEqual([]);
    s.done("PATCH", "/edges/tls/edgtls_1", { backend: { backend_id: "bkdhr_1" } });
    expect(violationsOf(s.world, s.effects())).toEqual([]);
    s.done("DELETE", "/backends/http_response/bkdhr_1");
    expect(violationsOf(s.world, s.effects())).toMatchObject([
      { target: "bkdhr_1", message: expect.stringContaining("edgtls_1 refers to") },
    ]);
    expect(problems(s.world)).toHaveLength(2);
  });

  it("see a hostport served twice", () => {
    const twice = {
      ...nothing,
      TLSEdge: [
        { id: "e1", hostports: ["a.example:443"] },
        { id: "e2", hostports: ["A.example:443"] },
      ],
    };
    const world = worldFrom({ lists: twice });
    expect(problems(world)).toHaveLength(2);
    const [after] = twice.TLSEdge;
    const effect = { of: "resource", kind: "TLSEdge", id: "e1", before: null, after: after ?? null } as const;
    expect(violationsOf(world, [effect])).toMatchObject([
      { target: "a.example:443", message: expect.stringContaining("is held by") },
    ]);
  });
});

const hosts = fc.uniqueArray(fc.constantFrom("a", "b", "c", "d"), { minLength: 1, maxLength: 3 });
const pick = fc.nat({ max: 9 });
const step = fc.oneof(
  fc.record({ do: fc.constant("make-backend" as const), pick, hosts }),
  fc.record({ do: fc.constant("make-edge" as const), pick, hosts }),
  fc.record({ do: fc.constant("change-edge" as const), pick, hosts }),
  fc.record({ do: fc.constant("delete-edge" as const), pick, hosts }),
  fc.record({ do: fc.constant("delete-backend" as const), pick, hosts }),
);

describe("any sequence of requests", () => {
  it("keeps the invariants, and indexes that agree with what is there", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const s = service({ deleteReferenced: "refuse" });
        for (const each of steps) {
          const edges = listAll(s.world).TLSEdge;
          const backends = listAll(s.world).HTTPResponseBackend;
          const edge = idOf(edges[each.pick % Math.max(1, edges.length)] ?? { id: "edgtls_no" });
          const backend = idOf(backends[each.pick % Math.max(1, backends.length)] ?? { id: "bkdhr_no" });
          const body: Json = {
            hostports: each.hosts.map((host) => `${host}.example:443`),
            backend: { backend_id: backend },
          };
          if (each.do === "make-backend") s.call("POST", "/backends/http_response", { status_code: 200 });
          if (each.do === "make-edge") s.call("POST", "/edges/tls", body);
          if (each.do === "change-edge") s.call("PATCH", `/edges/tls/${edge}`, body);
          if (each.do === "delete-edge") s.call("DELETE", `/edges/tls/${edge}`);
          if (each.do === "delete-backend") s.call("DELETE", `/backends/http_response/${backend}`);
          expect(violationsOf(s.world, s.effects())).toEqual([]);
        }
        expect(problems(s.world)).toEqual([]);
        const again = worldFrom({ lists: listAll(s.world) });
        for (const index of ["claim", "reference"] as const) {
          const entries = (world: typeof again) =>
            new Map([...world.indexes[index].entries()].map(([key, ids]) => [key, [...ids].toSorted()]));
          expect(entries(s.world)).toEqual(entries(again));
        }
        return true;
      }),
      runs(60),
    );
  });
});
