import { describe, expect, it } from "vitest";
import type { Json } from "../../src/core/json.ts";
import type { Manifest } from "../../src/manifest/manifest.ts";
import { Account, changeOf, paths } from "./support/account.ts";
import { backend, certificate, edge, pem, restriction } from "./support/manifests.ts";

function replan(first: Manifest, second: Manifest): readonly string[] {
  const account = new Account();
  account.apply([first]);
  return account.plan([second]).changes.flatMap(paths);
}

const allows = { on_tcp_connect: [{ name: "log", actions: [{ type: "log", config: { metadata: { a: 1, b: 2 } } }] }] };

describe("what means the same is no change", () => {
  it.each<readonly [string, Manifest, Manifest]>([
    [
      "a traffic policy with other white space",
      edge("x", { traffic_policy: { value: allows } }),
      edge("x", { traffic_policy: { value: JSON.stringify(allows, null, 2) } }),
    ],
    [
      "header names in other case",
      backend("x", { headers: { "Content-Type": "text/plain", "X-A": "b" } }),
      backend("x", { headers: { "x-a": "b", "content-type": "text/plain" } }),
    ],
    ["no headers written as an empty map", backend("x"), backend("x", { headers: {} })],
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
    ["no headers any more", backend("x", { headers: { a: "b" } }), backend("x"), ["spec.headers"]],
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
  ])("%s", (_what, first, second, changed) => {
    expect(replan(first, second)).toEqual(changed);
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
    ["an empty header map", { headers: {} }, backend("x")],
    ["a Ref with another uri", { ip_policies: [{ id: "ipp_1", uri: "somewhere" }] }, restriction("x")],
    ["a chain with CRLF", { certificate_pem: pem("AAAA").replaceAll("\n", "\r\n") }, certificate("x", "AAAA")],
  ])("with %s is the same", (what, wire, desired) => {
    expect(withLive(what, wire, desired)).toEqual([]);
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
});
