import { describe, expect, it } from "vitest";
import { type Impact } from "../../src/kinds/impact.ts";
import type { Manifest } from "../../src/manifest/manifest.ts";

import { Account, changeOf } from "./support/account.ts";
import { address, backend, certificate, edge, lifecycle, loose, restriction } from "./support/manifests.ts";

const deny = { value: { on_tcp_connect: [{ actions: [{ type: "deny" }] }] } };
const log = { value: { on_tcp_connect: [{ actions: [{ type: "log" }] }] } };
const ca = (...ids: readonly string[]): { readonly certificate_authorities: readonly { readonly id: string }[] } => ({
  certificate_authorities: ids.map((id) => ({ id })),
});
const ips = (...ids: readonly string[]): { readonly ip_policies: readonly { readonly id: string }[] } => ({
  ip_policies: ids.map((id) => ({ id })),
});
const to = (
  min_version: string,
): { readonly tls_termination: { readonly terminate_at: string; readonly min_version: string } } => ({
  tls_termination: { terminate_at: "edge", min_version },
});
const serving = (
  name: string,
  enabled = true,
): { readonly backend: { readonly enabled: boolean; readonly backend: { readonly name: string } } } => ({
  backend: { enabled, backend: { name } },
});

type Row = readonly [what: string, before: Manifest | null, after: Manifest | null, impact: Impact];

const rows: readonly Row[] = [
  ["a description", edge("x"), edge("x", { description: "d" }), "cosmetic"],
  ["a policy of the marker", edge("x"), edge("x", {}, lifecycle({ deletion: "protect" })), "none"],
  ["a new edge", null, edge("x"), "routing"],
  ["no backend any more", edge("x", serving("one")), edge("x"), "routing"],
  ["an IP restriction that ends", edge("x", { ip_restriction: ips("ipp_1") }), edge("x"), "security"],
  ["mutual TLS that ends", edge("x", { mutual_tls: ca("ca_1") }), edge("x"), "security"],
  ["a higher TLS version", edge("x", to("1.2")), edge("x", to("1.3")), "routing"],
  ["a lower TLS version", edge("x", to("1.3")), edge("x", to("1.2")), "security"],
  [
    "TLS that ends elsewhere",
    edge("x", to("1.2")),
    edge("x", { tls_termination: { terminate_at: "upstream" } }),
    "security",
  ],
  ["TLS termination that is gone", edge("x", to("1.2")), edge("x"), "security"],
  ["a traffic policy that begins", edge("x"), edge("x", { traffic_policy: log }), "routing"],
  [
    "a traffic policy that denies no more",
    edge("x", { traffic_policy: deny }),
    edge("x", { traffic_policy: log }),
    "security",
  ],
  ["a status code", backend("x"), backend("x", { status_code: 200 }), "routing"],
  ["a new backend, which nothing uses yet", null, backend("x"), "none"],
  [
    "an address that is lost with its region",
    loose("x", { region: "us" }),
    loose("x", { region: "eu" }),
    "irreversible",
  ],
  ["an address that is deleted", loose("x"), null, "irreversible"],
  ["an address that is let go", address("x", {}, lifecycle({ deletion: "orphan" })), null, "none"],
  ["another certificate", certificate("x", "AAAA"), certificate("x", "BBBB"), "security"],
  ["a new restriction that only warns", null, restriction("x", { enforced: false }), "cosmetic"],
  ["a restriction that is enforced no more", restriction("x"), restriction("x", { enforced: false }), "security"],
  ["a restriction of another type", restriction("x"), restriction("x", { type: "endpoints" }), "security"],
];

describe("the impact of a change", () => {
  it.each(rows)("of %s", (_what, before, after, impact) => {
    const account = new Account();
    const others = [backend("one"), backend("two")];
    account.apply(before === null ? others : [...others, before]);
    const plan = account.plan(after === null ? others : [...others, after], { allow: ["ReservedAddress/x"] });
    const change = changeOf(plan, (after ?? before ?? backend("x")).address);
    expect([change.impact, change.reason]).toEqual([impact, change.reason]);
    expect(change.reason !== null).toBe(impact !== "none" && impact !== "cosmetic");
  });
});
