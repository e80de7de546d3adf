import { describe, expect, it, onTestFinished } from "vitest";
import { parseFault } from "../../../src/sandbox/fault.ts";
import type { SandboxOptions } from "../../../src/sandbox/sandbox-options.ts";
import { address, backend, edge, httpsEdge, restriction } from "./manifests.ts";
import { Tour } from "./tour.ts";

/*
 * The specification leaves many points open, and services differ. The same short story must work with each variant,
 * because the planner must not rely on any of them.
 */
async function begin(options: SandboxOptions, more = ""): Promise<Tour> {
  const tour = await Tour.begin(options);
  onTestFinished(() => tour.end());
  await tour.write("edgewise.yaml", `apiVersion: edgewise/v1\nkind: Config\nstack: tour\nmanifests: [edge/]\n${more}`);
  return tour;
}

const services: readonly (readonly [string, SandboxOptions])[] = [
  ["that answers GET of an unset module with null", { model: { unsetModule: "null" } }],
  ["that leaves out unset texts", { model: { unsetText: "omitted" } }],
  ["that shows unset modules as {}", { model: { unsetModule: "empty" } }],
  ["that answers DELETE of an unset module with 404", { model: { deleteUnsetModule: "404" } }],
  ["that lets backends go although something refers to them", { model: { deleteReferenced: "dangle" } }],
  ["that defaults to another minimum version", { model: { defaultMinVersion: "1.3" } }],
  ["with one resource on a page", { pageSize: 1 }],
  ["with module endpoints that nobody told us of", { moduleEndpoints: ["backend", "ip_restriction"] }],
  [
    "that limits and fails now and then",
    {
      faults: [
        "status=429,retry-after=0,skip=6,count=2",
        "status=503,method=PATCH,count=1",
        "reset=after,method=DELETE,count=1",
      ].map(parseFault),
    },
  ],
];

describe("a service", () => {
  it.each(services)("%s", async (_what, options) => {
    const tour = await begin(options);
    const common = restriction("agents", "agent") + address("tcp") + backend("down");
    await tour.chapter(
      common +
        edge("a", ["one", "{address: tcp}"], "backend: {backend: {name: down}}, tls_termination: {}") +
        edge("b", ["two"], "mutual_tls: {certificate_authorities: [{id: ca_a}]}, description: words") +
        httpsEdge("web", "tls_termination: {}"),
    );
    // Hostports are swapped, one module is removed, one can only be disabled, one is added.
    await tour.chapter(
      common +
        edge("a", ["two", "{address: tcp}"], "tls_termination: {terminate_at: upstream}") +
        edge("b", ["one"], "traffic_policy: {value: {on_tcp_connect: []}}") +
        httpsEdge("web", "tls_termination: null"),
    );
    // A replacement, and everything back to its defaults.
    await tour.chapter(
      restriction("agents", "endpoints") +
        address("tcp") +
        backend("down") +
        edge("a", ["two", "{address: tcp}"]) +
        edge("b", ["one"]),
    );
    expect(tour.list("IPRestriction")).toHaveLength(1);
  });
});
