import { describe, expect, it } from "vitest";
import type { Json } from "../../src/json.js";
import type { Manifest } from "../../src/manifest/manifest.js";
import { Account, bodyOf, changeOf, paths, refusals, warnings, writes } from "./support/account.js";
import { address, backend, certificate, edge, lifecycle, marked, pem, restriction } from "./support/manifests.js";

/** What is live after `first`, planned for with `second`. */
function replan(first: Manifest, second: Manifest): readonly string[] {
  const account = new Account();
  account.apply([first]);
  return account.plan([second]).changes.flatMap(paths);
}

const allows = { on_tcp_connect: [{ name: "log", actions: [{ type: "log", config: { metadata: { a: 1, b: 2 } } }] }] };

describe("what means the same is no change", () => {
  const policies = (...ids: readonly string[]): { readonly ip_policies: readonly { readonly id: string }[] } => ({
    ip_policies: ids.map((id) => ({ id })),
  });

  it.each<readonly [string, Manifest, Manifest]>([
    [
      "a traffic policy with other white space",
      edge("x", { traffic_policy: { value: allows } }),
      edge("x", { traffic_policy: { value: JSON.stringify(allows, null, 2) } }),
    ],
    [
      "a traffic policy with its keys in another order",
      edge("x", { traffic_policy: { value: '{"on_tcp_connect":[{"name":"a","actions":[{"type":"deny"}]}]}' } }),
      edge("x", { traffic_policy: { value: '{"on_tcp_connect":[{"actions":[{"type":"deny"}],"name":"a"}]}' } }),
    ],
    [
      "hostports in another order",
      edge("x", { hostports: ["a.example.com:443", "b.example.com:443"] }),
      edge("x", { hostports: ["b.example.com:443", "a.example.com:443"] }),
    ],
    [
      "a host in other case",
      edge("x", { hostports: ["A.example.com:443"] }),
      edge("x", { hostports: ["a.Example.com:443"] }),
    ],
    [
      "IP policies in another order",
      restriction("x", policies("ipp_1", "ipp_2", "ipp_3")),
      restriction("x", policies("ipp_3", "ipp_1", "ipp_2")),
    ],
    [
      "an IP policy that is named twice",
      restriction("x", policies("ipp_1", "ipp_2")),
      restriction("x", policies("ipp_2", "ipp_1", "ipp_2")),
    ],
    [
      "Refs in a module in another order",
      edge("x", { ip_restriction: policies("ipp_1", "ipp_2") }),
      edge("x", { ip_restriction: policies("ipp_2", "ipp_1") }),
    ],
    [
      "certificate authorities in another order",
      edge("x", { mutual_tls: { certificate_authorities: [{ id: "ca_1" }, { id: "ca_2" }] } }),
      edge("x", { mutual_tls: { certificate_authorities: [{ id: "ca_2" }, { id: "ca_1" }] } }),
    ],
    [
      "header names in other case",
      backend("x", { headers: { "Content-Type": "text/plain", "X-A": "b" } }),
      backend("x", { headers: { "x-a": "b", "content-type": "text/plain" } }),
    ],
    ["no headers written as an empty map", backend("x"), backend("x", { headers: {} })],
    ["no headers written as null", backend("x"), backend("x", { headers: null })],
    ["an empty body that is not named", backend("x", { body: "" }), backend("x")],
    ["an empty description that is null", edge("x", { description: "" }), edge("x", { description: null })],
    ["a module that is null", edge("x"), edge("x", { mutual_tls: null, backend: null })],
    [
      "enabled: true, which is the default",
      edge("x", { mutual_tls: { enabled: true, certificate_authorities: [{ id: "ca_1" }] } }),
      edge("x", { mutual_tls: { certificate_authorities: [{ id: "ca_1" }] } }),
    ],
    [
      "min_version null, as upstream has it",
      edge("x", { tls_termination: { terminate_at: "upstream" } }),
      edge("x", { tls_termination: { terminate_at: "upstream", min_version: null } }),
    ],
    [
      "a PEM with other line breaks, ends and words around it",
      certificate("x", "AAAABBBBCCCC"),
      certificate("x", "", {}, { certificate_pem: `subject=x\r\n${pem("AAAA\r\nBBBB\nCCCC")}\n\n`.trimStart() }),
    ],
    ["metadata as a map or as its JSON text", edge("x", { metadata: { a: 1 } }), edge("x", { metadata: '{"a": 1}' })],
    [
      "metadata with its keys in another order",
      edge("x", { metadata: { a: 1, b: 2 } }),
      edge("x", { metadata: { b: 2, a: 1 } }),
    ],
    ["metadata {} or empty", edge("x", { metadata: {} }), edge("x", { metadata: "" })],
  ])("%s", (_what, first, second) => {
    expect(replan(first, second)).toEqual([]);
    expect(replan(second, first)).toEqual([]);
  });
});

describe("what means something else is a change of just that", () => {
  it.each<readonly [string, Manifest, Manifest, readonly string[]]>([
    [
      "the order of rules",
      edge("x", { traffic_policy: { value: { on_tcp_connect: [{ name: "a" }, { name: "b" }] } } }),
      edge("x", { traffic_policy: { value: { on_tcp_connect: [{ name: "b" }, { name: "a" }] } } }),
      ["spec.traffic_policy.value"],
    ],
    [
      "a policy that is no JSON, by its text",
      edge("x", { traffic_policy: { value: "not json" } }),
      edge("x", { traffic_policy: { value: "not  json" } }),
      ["spec.traffic_policy.value"],
    ],
    [
      "the value of a header",
      backend("x", { headers: { a: "b" } }),
      backend("x", { headers: { a: "B" } }),
      ["spec.headers"],
    ],
    ["no headers any more", backend("x", { headers: { a: "b" } }), backend("x"), ["spec.headers"]],
    ["a body that is not named any more", backend("x", { body: "hello" }), backend("x"), ["spec.body"]],
    ["a description that is not named any more", edge("x", { description: "d" }), edge("x"), ["spec.description"]],
    [
      "white space in a description",
      edge("x", { description: "d" }),
      edge("x", { description: "d " }),
      ["spec.description"],
    ],
    [
      "a module's enabled",
      edge("x", { mutual_tls: { certificate_authorities: [] } }),
      edge("x", { mutual_tls: { enabled: false, certificate_authorities: [] } }),
      ["spec.mutual_tls.enabled"],
    ],
    [
      "the other certificate in the chain",
      certificate("x", "AAAA"),
      certificate("x", "", {}, { certificate_pem: pem("AAAA") + pem("BBBB") }),
      ["spec.certificate_pem", "spec.private_key_pem"],
    ],
    [
      "the order of a metadata list",
      edge("x", { metadata: { a: [1, 2] } }),
      edge("x", { metadata: { a: [2, 1] } }),
      ["spec.metadata"],
    ],
  ])("%s", (_what, first, second, changed) => {
    expect(replan(first, second)).toEqual(changed);
  });

  it("and the writes keep a key of its own: only the chain tells certificates apart", () => {
    const account = new Account();
    account.apply([certificate("x", "AAAA")]);
    const other = certificate("other", "AAAA");
    expect(account.plan([{ ...other, name: "x", address: "TLSCertificate/x" }]).changes).toEqual([]);
  });
});

describe("the live side", () => {
  const withLive = (path: string, wire: { readonly [member: string]: Json }, desired: Manifest): readonly string[] => {
    const account = new Account();
    account.apply([desired]);
    const live = account.live();
    const [kind] = desired.address.split("/");
    const lists = Object.fromEntries(
      Object.entries(live.lists).map(([name, list]) => [
        name,
        list.map((one) => (name === kind ? { ...one, ...wire } : one)),
      ]),
    );
    account.live = () => ({ ...live, lists: { ...live.lists, ...lists } });
    expect(path).not.toBe("");
    return account.plan([desired]).changes.flatMap(paths);
  };

  it.each<readonly [string, { readonly [member: string]: Json }, Manifest]>([
    ["an unknown member", { surprise: { a: [1] } }, edge("x")],
    ["the legacy policy", { policy: { enabled: true } }, edge("x")],
    ["server-computed members", { uri: "elsewhere", created_at: "1999-01-01T00:00:00Z" }, edge("x")],
    ["certificate facts", { not_after: "1999-01-01T00:00:00Z", serial_number: "9" }, certificate("x", "AAAA")],
    ["a description of null", { description: null }, edge("x")],
    ["an empty header map", { headers: {} }, backend("x")],
    ["header names in other case", { headers: { "X-A": "b" } }, backend("x", { headers: { "x-a": "b" } })],
    [
      "hostports in another order and case",
      { hostports: ["B.example.com:443", "a.example.com:443"] },
      edge("x", { hostports: ["a.example.com:443", "b.example.com:443"] }),
    ],
    ["a Ref with another uri", { ip_policies: [{ id: "ipp_1", uri: "somewhere" }] }, restriction("x")],
    ["a chain with CRLF", { certificate_pem: pem("AAAA").replaceAll("\n", "\r\n") }, certificate("x", "AAAA")],
  ])("with %s is the same", (what, wire, desired) => {
    expect(withLive(what, wire, desired)).toEqual([]);
  });

  it("may leave out what is unset", () => {
    const account = new Account();
    account.apply([backend("x")]);
    const live = account.live();
    const bare = live.lists.HTTPResponseBackend.map(({ description: _d, headers: _h, body: _b, ...rest }) => rest);
    account.live = () => ({ ...live, lists: { ...live.lists, HTTPResponseBackend: bare } });
    expect(account.plan([backend("x")]).changes).toEqual([]);
  });
});

describe("what inherits", () => {
  it.each<readonly [string, Manifest, Manifest]>([
    ["a region that is not named", address("x", { region: "eu" }), address("x")],
    [
      "an endpoint configuration that is not named",
      address("x", { endpoint_configuration: { id: "ec_1" } }),
      address("x"),
    ],
    [
      "min_version and terminate_at that are not named",
      edge("x", { tls_termination: { terminate_at: "edge", min_version: "1.3" } }),
      edge("x", { tls_termination: {} }),
    ],
  ])("%s stays as it is live", (_what, first, second) => {
    expect(replan(first, second)).toEqual([]);
  });

  it("keeps the live value in the writes too", () => {
    const account = new Account();
    account.apply([edge("x", { tls_termination: { terminate_at: "edge", min_version: "1.3" } })]);
    const plan = account.apply([edge("x", { tls_termination: { enabled: false } })]);
    expect(bodyOf(plan, "TLSEdge/x")).toEqual({ enabled: false, terminate_at: "edge", min_version: "1.3" });
  });

  it("leaves to the service what nobody named yet", () => {
    const account = new Account();
    const plan = account.apply([edge("x", { tls_termination: {} }), address("a")]);
    expect(bodyOf(plan, "TLSEdge/x")).toMatchObject({ tls_termination: { enabled: true } });
    expect(bodyOf(plan, "ReservedAddress/a")).toEqual({ metadata: marked("test", "a"), region: "us" });
    expect(account.one("TLSEdge/x")["tls_termination"]).toMatchObject({ terminate_at: "edge", min_version: "1.2" });
  });

  it("has no minimum version to inherit with upstream", () => {
    const account = new Account();
    account.apply([edge("x", { tls_termination: { terminate_at: "edge", min_version: "1.3" } })]);
    const up = account.apply([edge("x", { tls_termination: { terminate_at: "upstream" } })]);
    expect(bodyOf(up, "TLSEdge/x")).not.toHaveProperty("min_version", "1.3");
    expect(account.one("TLSEdge/x")["tls_termination"]).toMatchObject({ terminate_at: "upstream", min_version: null });
    const down = account.apply([edge("x", { tls_termination: { terminate_at: "edge" } })]);
    expect(writes(down)).toHaveLength(1);
    expect(account.plan([edge("x", { tls_termination: { terminate_at: "edge" } })]).changes).toEqual([]);
  });

  it("of a region keeps the address where it is, but a new one is made in us", () => {
    const account = new Account();
    account.apply([address("x", { region: "jp" })]);
    expect(account.plan([address("x")]).changes).toEqual([]);
    expect(refusals(account.plan([address("x", { region: "us" })]))).toContain("deletion-protected");
  });
});

describe("lifecycle.ignore", () => {
  it("leaves the live value alone in the diff", () => {
    const account = new Account();
    const desired = edge("x", { description: "mine" }, lifecycle({ ignore: ["spec.description"] }));
    account.apply([desired]);
    account.meddle("TLSEdge/x", { description: "theirs" });
    expect(account.plan([desired]).changes).toEqual([]);
  });

  it("leaves it alone in the writes, members of modules too", () => {
    const account = new Account();
    const ignore = lifecycle({ ignore: ["spec.tls_termination.min_version", "spec.description"] });
    const desired = (enabled: boolean): Manifest =>
      edge(
        "x",
        { description: "mine", tls_termination: { enabled, terminate_at: "edge", min_version: "1.2" } },
        ignore,
      );
    account.apply([desired(true)]);
    account.call("PUT", `${account.path("TLSEdge/x")}/tls_termination`, { terminate_at: "edge", min_version: "1.0" });
    account.meddle("TLSEdge/x", { description: "theirs" });
    const plan = account.apply([desired(false)]);
    expect(writes(plan)).toEqual([`PUT ${account.path("TLSEdge/x")}/tls_termination`]);
    expect(bodyOf(plan, "TLSEdge/x")).toEqual({ enabled: false, terminate_at: "edge", min_version: "1.0" });
    expect(account.one("TLSEdge/x")["description"]).toBe("theirs");
  });

  it("says what a new resource begins with all the same", () => {
    const account = new Account();
    account.apply([edge("x", { description: "first" }, lifecycle({ ignore: ["spec.description"] }))]);
    expect(account.one("TLSEdge/x")["description"]).toBe("first");
  });

  it("keeps a whole module, a certificate or the user's metadata", () => {
    const account = new Account();
    const ignoring = (path: string): ReturnType<typeof lifecycle> => lifecycle({ ignore: [path] });
    const desired = [
      edge("m", {}, ignoring("spec.mutual_tls")),
      edge("b", {}, ignoring("spec.backend")),
      certificate("c", "AAAA", ignoring("spec.certificate_pem")),
      backend("u", { metadata: { a: 1 } }, ignoring("spec.metadata")),
    ];
    account.apply(desired);
    const { id } = account.call("POST", "/backends/http_response", { status_code: 200 });
    account.meddle("TLSEdge/m", { mutual_tls: { certificate_authority_ids: ["ca_1"] } });
    account.meddle("TLSEdge/b", { backend: { backend_id: String(id) } });
    account.meddle("HTTPResponseBackend/u", {
      metadata: '{"edgewise":{"stack":"test","name":"u"},"theirs":true}',
    });
    const renewed = [
      ...desired.slice(0, 2),
      certificate("c", "BBBB", ignoring("spec.certificate_pem")),
      ...desired.slice(3),
    ];
    expect(account.plan(renewed)).toMatchObject({ changes: [], warnings: [] });
    // A write of something else says no word of what is ignored either.
    const [m, , , u] = renewed;
    if (m === undefined || u === undefined) throw new Error("no manifests");
    const next = account.plan([
      { ...m, spec: { ...m.spec, description: "new" } },
      edge("b", { description: "new" }, ignoring("spec.backend")),
      ...renewed.slice(2, 3),
      { ...u, lifecycle: { ...u.lifecycle, deletion: "protect" } },
    ]);
    expect(bodyOf(next, "TLSEdge/m")).toEqual({ description: "new" });
    expect(bodyOf(next, "TLSEdge/b")).toEqual({ description: "new" });
    expect(warnings(next)).toEqual([]);
    expect(bodyOf(next, "HTTPResponseBackend/u")).toEqual({
      metadata: '{"edgewise":{"stack":"test","name":"u","deletion":"protect"},"theirs":true}',
    });
  });
});

describe("a reserved address that an edge serves", () => {
  it("may be named and stand there as text: it is served once", () => {
    const account = new Account();
    account.apply([address("a")]);
    const addr = String(account.one("ReservedAddress/a")["addr"]);
    const plan = account.apply([address("a"), edge("e", { hostports: [addr, { address: "a" }] })]);
    expect(bodyOf(plan, "TLSEdge/e")).toMatchObject({ hostports: [addr] });
    expect(account.plan([address("a"), edge("e", { hostports: [{ address: "a" }] })]).changes).toEqual([]);
  });
});

describe("a change shows", () => {
  it("both values in the manifest's own shape, with nothing of what stays", () => {
    const account = new Account();
    account.apply([backend("b"), edge("x", { description: "old", backend: { backend: { name: "b" } } })]);
    const id = account.id("HTTPResponseBackend/b");
    const plan = account.plan([
      backend("b"),
      edge("x", { description: "new", backend: { enabled: false, backend: { name: "b" } } }),
    ]);
    expect(changeOf(plan, "TLSEdge/x").fields).toMatchObject([
      { path: "spec.description", before: "old", after: "new" },
      { path: "spec.backend.enabled", before: true, after: false },
    ]);
    expect(id).not.toBe("");
  });

  it("that a value is known only after apply", () => {
    const plan = new Account().plan([
      backend("b"),
      address("a"),
      edge("x", { hostports: [{ address: "a" }], backend: { backend: { name: "b" } } }),
    ]);
    expect(changeOf(plan, "TLSEdge/x").fields).toMatchObject([
      { path: "spec.hostports", after: [{ address: "a" }], unknown: true },
      { path: "spec.backend", after: { backend: { name: "b" } }, unknown: true },
    ]);
    expect(changeOf(plan, "HTTPResponseBackend/b").fields.some((field) => field.unknown === true)).toBe(false);
  });

  it("a secret as a mask, marked as sensitive", () => {
    const change = changeOf(new Account().plan([certificate("c", "AAAA")]), "TLSCertificate/c");
    expect(change.fields.at(-1)).toMatchObject({
      path: "spec.private_key_pem",
      before: null,
      after: "(secret)",
      sensitive: true,
    });
  });
});

describe("members with the names of JavaScript's own", () => {
  const odd = '{"valueOf":1,"constructor":{"toString":[]},"__proto__":{"a":1},"hasOwnProperty":null}';

  it("are like any others in metadata and policies", () => {
    const account = new Account();
    const desired = edge("x", { metadata: JSON.parse(odd), traffic_policy: { value: odd } });
    account.apply([desired]);
    expect(account.plan([edge("x", { metadata: odd, traffic_policy: { value: `${odd} ` } })]).changes).toEqual([]);
    const other = odd.replace('"a":1', '"a":2');
    const plan = account.apply([edge("x", { metadata: JSON.parse(other), traffic_policy: { value: other } })]);
    expect(paths(changeOf(plan, "TLSEdge/x"))).toEqual(["spec.metadata", "spec.traffic_policy.value"]);
  });

  it("are like any others in header names", () => {
    const account = new Account();
    const desired = backend("x", { headers: { constructor: "a", valueof: "b" } });
    account.apply([desired]);
    expect(account.plan([desired]).changes).toEqual([]);
    expect(account.plan([backend("x", { headers: { constructor: "c", valueof: "b" } })]).changes).toHaveLength(1);
  });
});
