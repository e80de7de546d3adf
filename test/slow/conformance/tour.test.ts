import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeCertificate } from "../../../scripts/certificate.mjs";
import type { Plan } from "../../../src/plan/plan-format.ts";
import { address, backend, certificate, edge, httpsEdge, restriction, route } from "./manifests.ts";
import { Tour, codes } from "./tour.ts";

/*
 * A guided tour of what the program promises, over real HTTP. Each chapter is a complete desired state and starts where
 * the one before it ended. In every chapter the plan has changes and writes nothing, apply makes them, a second plan is
 * empty and needs only the lists, and a second apply writes nothing (see `Tour.chapter`).
 *
 * The account is shared with somebody who works in the console. Their resources must be identical at the end.
 */
let tour: Tour;
let theirs: { readonly edge: string; readonly backend: string };
let foreignBytes: string;

function bytesOfOthers(): string {
  const lists = Object.values(tour.sandbox.world().lists).flat();
  return JSON.stringify(lists.filter(({ id }) => id === theirs.edge || id === theirs.backend));
}

function config(more = ""): Promise<void> {
  return tour.write("edgewise.yaml", `apiVersion: edgewise/v1\nkind: Config\nstack: tour\nmanifests: [edge/]\n${more}`);
}

/** The address of an operation, and its request. */
function steps({ operations }: Plan): readonly string[] {
  return operations.map(({ method, address: name }) => `${method} ${name}`);
}

beforeAll(async () => {
  tour = await Tour.begin();
  await config();
  for (const name of ["first", "second"]) {
    const { certificate: pem, key } = await makeCertificate(["www.example.com"]);
    await tour.write(`edge/${name}.pem`, pem);
    await tour.write(`keys/${name}.key`, key);
  }
  const elsewhere = tour.byHand("POST", "/backends/http_response", {
    status_code: 200,
    metadata: '{"edgewise":{"stack":"somebody-else","name":"shop"}}',
  });
  const byConsole = tour.byHand("POST", "/edges/tls", {
    hostports: ["console.example.com:443"],
    metadata: "made by hand",
    backend: { backend_id: String(elsewhere["id"]) },
  });
  theirs = { edge: String(byConsole["id"]), backend: String(elsewhere["id"]) };
  foreignBytes = bytesOfOthers();
});

afterAll(() => tour.end());

describe("1. Creating resources", () => {
  it("an empty repository has an empty plan", async () => {
    await tour.same("# nothing yet\n");
  });

  it("one resource of each kind takes one write each", async () => {
    const { writes, plan, bodies } = await tour.chapter(
      restriction("agents", "agent") +
        edge("api", ["api", "{address: tcp}"], "backend: {backend: {name: down}}") +
        address("tcp") +
        backend("down", 'status_code: 503, body: "down", headers: {Retry-After: "60"}') +
        certificate("www", "first"),
    );
    expect(writes.toSorted()).toEqual([
      "POST /backends/http_response",
      "POST /edges/tls",
      "POST /ip_restrictions",
      "POST /reserved_addrs",
      "POST /tls_certificates",
    ]);
    // The edge waits for the backend and the address that it uses; nothing else waits for anything.
    const create = plan.operations.find(({ path }) => path === "/edges/tls");
    expect(Object.values(create?.waits ?? {})).toEqual(["use", "use"]);
    expect(plan.operations.flatMap(({ after }) => after)).toHaveLength(2);
    // Values that were unknown in the plan are known when the request is sent.
    expect(bodies["POST /edges/tls"]).toMatchObject({
      hostports: ["api.example.com:443", tour.live("ReservedAddress/tcp")["addr"]],
      backend: { enabled: true, backend_id: tour.id("HTTPResponseBackend/down") },
      metadata: '{"edgewise":{"stack":"tour","name":"api"}}',
    });
  });

  it("without changes, a plan reads only the lists", async () => {
    tour.recorder.take();
    expect((await tour.inMemory("plan")).exit).toBe(0);
    const asked = tour.recorder.take().map(({ method, path }) => `${method} ${path.split("?")[0] ?? ""}`);
    expect(asked.toSorted()).toEqual([
      "GET /backends/http_response",
      "GET /edges/tls",
      "GET /ip_restrictions",
      "GET /reserved_addrs",
      "GET /tls_certificates",
    ]);
  });
});

/** Manifests that stay the same in the next chapters. */
const steady = (): string => address("tcp") + certificate("www", "first") + restriction("agents", "agent");

describe("2. Modules of an edge", () => {
  const state = (spec: string): string =>
    steady() +
    backend("down", 'status_code: 503, body: "down", headers: {Retry-After: "60"}') +
    edge("api", ["api", "{address: tcp}"], spec);
  const target = "backend: {backend: {name: down}}";

  it("an added module is one PUT", async () => {
    const { writes, bodies } = await tour.chapter(
      state(`${target}, traffic_policy: {value: {on_tcp_connect: [{actions: [{type: deny}]}]}}`),
    );
    const put = `PUT /edges/tls/${tour.id("TLSEdge/api")}/traffic_policy`;
    expect(writes).toEqual([put]);
    expect(bodies[put]).toEqual({ enabled: true, value: '{"on_tcp_connect":[{"actions":[{"type":"deny"}]}]}' });
  });

  it("several changes of one edge are one PATCH that names only those", async () => {
    const { writes, bodies } = await tour.chapter(
      state(
        `${target}, description: "Public API", mutual_tls: {certificate_authorities: [{id: ca_b}, {id: ca_a}]}, traffic_policy: {value: {on_tcp_connect: [{actions: [{type: deny}]}]}}`,
      ),
    );
    const patch = `PATCH /edges/tls/${tour.id("TLSEdge/api")}`;
    expect(writes).toEqual([patch]);
    expect(bodies[patch]).toEqual({
      description: "Public API",
      mutual_tls: { enabled: true, certificate_authority_ids: ["ca_b", "ca_a"] },
    });
  });

  it("a removed module is one DELETE", async () => {
    const { writes } = await tour.chapter(
      state(`${target}, description: "Public API", mutual_tls: {certificate_authorities: [{id: ca_a}, {id: ca_b}]}`),
    );
    expect(writes).toEqual([`DELETE /edges/tls/${tour.id("TLSEdge/api")}/traffic_policy`]);
  });

  it("a backend has no DELETE: it is disabled, with a warning", async () => {
    const { plan, bodies } = await tour.chapter(state('description: "Public API"'));
    expect(plan.warnings).toMatchObject([{ code: "module-disabled", address: "TLSEdge/api" }]);
    expect(bodies[`PATCH /edges/tls/${tour.id("TLSEdge/api")}`]).toEqual({
      backend: { enabled: false, backend_id: tour.id("HTTPResponseBackend/down") },
    });
    expect(tour.live("TLSEdge/api")["tls_termination"]).toBeNull();
  });
});

describe("3. Hostports that move", () => {
  /** The edges of this part by their hosts. */
  const serving = (edges: { readonly [name: string]: readonly string[] }): string =>
    steady() +
    backend("down") +
    Object.entries(edges)
      .map(([name, hosts]) => edge(name, hosts))
      .join("");

  it("three edges with a host each", async () => {
    const { writes } = await tour.chapter(
      serving({ api: ["api", "{address: tcp}"], a: ["one"], b: ["two"], c: ["three"] }),
    );
    // The edges are made, the edge from before loses its description, the backend its answer.
    expect(writes.filter((write) => write === "POST /edges/tls")).toHaveLength(3);
    expect(writes).toHaveLength(5);
  });

  it("one moves: released before it is taken", async () => {
    const { plan } = await tour.chapter(
      serving({ api: ["api", "{address: tcp}"], a: ["one"], b: ["two", "api"], c: ["three"] }).replace(
        '"api.example.com:443", ',
        "",
      ),
    );
    expect(steps(plan)).toEqual(["PATCH TLSEdge/api", "PATCH TLSEdge/b"]);
    expect(plan.operations[1]?.waits).toEqual({ "op-1": "free" });
    expect(plan.warnings.map(({ code }) => code)).toEqual(["traffic-gap"]);
  });

  const rest = { api: ["{address: tcp}"] };

  it("two are swapped: one temporary release, at the edge that keeps another", async () => {
    const { plan, writes } = await tour.chapter(serving({ ...rest, a: ["two"], b: ["one", "api"], c: ["three"] }));
    expect(writes).toHaveLength(3);
    expect(plan.operations.filter(({ temporary }) => temporary !== undefined)).toMatchObject([
      { address: "TLSEdge/b", body: { hostports: ["api.example.com:443"] } },
    ]);
  });
});

/** The edge that serves the reserved address, and nothing else of part 3. */
const api = edge("api", ["api", "{address: tcp}"]);

describe("4. Replacements", () => {
  it("first, less is desired: what has no manifest goes, and deletes come last", async () => {
    const { plan } = await tour.chapter(steady() + backend("down") + api, "--max-deletes", "9");
    expect(plan.summary).toMatchObject({ delete: 3, update: 1 });
    // Edge b is deleted early, because another edge takes its host; the others at the end.
    expect(steps(plan).slice(0, 2)).toEqual(["DELETE TLSEdge/b", "PATCH TLSEdge/api"]);
  });

  it("the type of an IP restriction: the new one, then the end of the old one", async () => {
    const old = tour.id("IPRestriction/agents");
    const { writes, plan } = await tour.chapter(
      address("tcp") + certificate("www", "first") + backend("down") + api + restriction("agents", "endpoints"),
    );
    expect(writes).toEqual(["POST /ip_restrictions", `DELETE /ip_restrictions/${old}`]);
    expect(plan.changes).toMatchObject([{ action: "replace", impact: "security" }]);
  });

  const others = (): string => certificate("www", "first") + backend("down") + restriction("agents", "endpoints");

  it("the region of an address, which is allowed: its edge is re-pointed in between", async () => {
    const old = tour.id("ReservedAddress/tcp");
    const { writes } = await tour.chapter(
      others() + api + address("tcp", "region: eu"),
      "--allow",
      "ReservedAddress/tcp",
    );
    expect(writes).toEqual([
      "POST /reserved_addrs",
      `PATCH /edges/tls/${tour.id("TLSEdge/api")}`,
      `DELETE /reserved_addrs/${old}`,
    ]);
    expect(tour.live("TLSEdge/api")["hostports"]).toContain(tour.live("ReservedAddress/tcp")["addr"]);
  });

  it("another certificate: the old one is let go, as domains may use it", async () => {
    const old = tour.id("TLSCertificate/www");
    const { writes, bodies } = await tour.chapter(
      certificate("www", "second") + backend("down") + restriction("agents", "endpoints") + api + address("tcp"),
    );
    expect(writes).toEqual(["POST /tls_certificates", `PATCH /tls_certificates/${old}`]);
    expect(bodies[`PATCH /tls_certificates/${old}`]).toEqual({ metadata: "" });
    expect(tour.list("TLSCertificate")).toHaveLength(2);
  });
});

/** The manifests at the end of part 4. */
const settled = (): string => certificate("www", "second") + restriction("agents", "endpoints") + api + address("tcp");

describe("5. Ownership", () => {
  it("an unowned resource is adopted by its id, in one PATCH", async () => {
    const { id } = tour.byHand("POST", "/backends/http_response", { status_code: 404, metadata: "made by hand" });
    const { plan, writes, bodies } = await tour.chapter(
      settled() +
        backend("down") +
        backend("lost", "status_code: 404, metadata: made by hand", { metadata: `id: ${String(id)}` }),
    );
    expect(plan.changes).toMatchObject([{ action: "adopt", id }]);
    expect(writes).toEqual([`PATCH /backends/http_response/${String(id)}`]);
    expect(bodies[writes[0] ?? ""]).toEqual({
      metadata: '{"edgewise":{"stack":"tour","name":"lost","text":"made by hand"}}',
    });
  });

  it("a resource without a manifest is deleted", async () => {
    const { writes } = await tour.chapter(settled() + backend("down"));
    expect(writes.map((write) => write.split(" ")[0])).toEqual(["DELETE"]);
  });

  it("the stack is renamed: every marker is rewritten, nothing is re-created", async () => {
    await tour.write(
      "edgewise.yaml",
      "apiVersion: edgewise/v1\nkind: Config\nstack: grand-tour\npreviousStacks: [tour]\nmanifests: [edge/]\n",
    );
    const { plan, writes } = await tour.chapter(settled() + backend("down"));
    expect(plan.summary).toMatchObject({ update: 5, create: 0, delete: 0 });
    expect(writes.every((write) => write.startsWith("PATCH "))).toBe(true);
    await tour.write(
      "edgewise.yaml",
      "apiVersion: edgewise/v1\nkind: Config\nstack: tour\npreviousStacks: [grand-tour]\nmanifests: [edge/]\n",
    );
    await tour.chapter(settled() + backend("down"));
    await config();
    await tour.atRest();
  });
});

describe("6. Modules of HTTPS edges that are created elsewhere", () => {
  const hook = "/edges/https/edghts_web/routes/edghtr_web";
  const base = (): string => settled() + backend("down");
  const webhook = "webhook_verification: {provider: GITHUB, secret: {env: HOOK_SECRET}}";

  it("named as objects: one PUT each; the secret is sent and never shown", async () => {
    tour.byHand("PUT", `${hook}/traffic_policy`, { value: '{"on_http_request":[]}' });
    const { writes, bodies, plan } = await tour.chapter(
      base() + route("hook", webhook) + httpsEdge("web", 'tls_termination: {min_version: "1.3"}'),
    );
    expect(writes.toSorted()).toEqual([
      `PUT ${hook}/webhook_verification`,
      "PUT /edges/https/edghts_web/tls_termination",
    ]);
    expect(bodies[`PUT ${hook}/webhook_verification`]).toEqual({
      enabled: true,
      provider: "GITHUB",
      secret: "s3cr3t-of-the-hook",
    });
    expect(JSON.stringify(plan)).not.toContain("s3cr3t");
  });

  it("named as null: one DELETE", async () => {
    const { writes } = await tour.chapter(base() + route("hook", "webhook_verification: null, traffic_policy: null"));
    expect(writes.toSorted()).toEqual([`DELETE ${hook}/traffic_policy`, `DELETE ${hook}/webhook_verification`]);
  });

  it("manifest removed: nothing happens, because no stack owns them", async () => {
    await tour.same(base());
    expect(Object.keys(tour.sandbox.world().modules)).toEqual(["/edges/https/edghts_web/tls_termination"]);
  });
});

describe("7. Guards", () => {
  const base = (): string => settled() + backend("down");

  it("a possible lock-out is refused; allowed in the configuration, it comes last", async () => {
    const locked = restriction("console", "api");
    expect(codes(await tour.refused(base() + locked))).toEqual(["lockout"]);
    await config("guards: {allow: [IPRestriction/console]}\n");
    await tour.chapter(base() + backend("spare"));
    const { plan } = await tour.chapter(base() + edge("more", ["more"]) + locked);
    expect(steps(plan)).toEqual([
      "POST TLSEdge/more",
      "DELETE HTTPResponseBackend/spare",
      "POST IPRestriction/console",
    ]);
    await config();
  });
});

describe("8. The end", () => {
  it("everything of the stack is deleted, edges before what they use", async () => {
    tour.recorder.take();
    const { exit } = await tour.asProcess("destroy", "-y", "--allow", "ReservedAddress/tcp", "--max-deletes", "20");
    expect(exit).toBe(0);
    const gone = tour.recorder.take().filter(({ method }) => method !== "GET");
    expect(gone.every(({ method, status }) => method === "DELETE" && status === 204)).toBe(true);
    const paths = gone.map(({ path }) => path);
    const lastEdge = paths.findLastIndex((path) => path.startsWith("/edges/tls"));
    expect(paths.findIndex((path) => path.startsWith("/reserved_addrs"))).toBeGreaterThan(
      paths.findIndex((path) => path.startsWith("/edges/tls")),
    );
    expect(lastEdge).toBeGreaterThanOrEqual(1);
    expect(JSON.stringify(tour.sandbox.world().lists)).not.toContain('\\"stack\\":\\"tour\\"');
  });

  it("resources of others are unchanged, byte for byte", () => {
    expect(bytesOfOthers()).toBe(foreignBytes);
    expect(Object.keys(tour.sandbox.world().modules)).toEqual(["/edges/https/edghts_web/tls_termination"]);
  });
});
