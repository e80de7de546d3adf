import { describe, expect, it } from "vitest";
import { policy } from "../../../src/kinds/policy.ts";
import type { Value } from "../../../src/core/json.ts";
import type { Address } from "../../../src/kinds/names.ts";
import type { Manifest } from "../../../src/manifest/manifest.ts";
import { fingerprint } from "../../../src/plan/plan-format.ts";
import { type SyncState, planWithStates } from "../../../src/serve/decide/change-origins.ts";
import { Secret } from "../../../src/core/secret.ts";
import { Account, defaults, manifest } from "../../plan/support/account.ts";
import { edge, pem, route } from "../../plan/support/manifests.ts";

function stateOf(account: Account, which: Address, ...desired: readonly Manifest[]): SyncState {
  const state = planWithStates(desired, account.live(), defaults).states.get(which);
  if (state === undefined) throw new Error(`${which} has no state`);
  return state;
}

function applied(...desired: readonly Manifest[]): Account {
  const account = new Account();
  account.apply(desired);
  return account;
}

function policed(value: Value): Manifest {
  return edge("e", { traffic_policy: { value } });
}

describe("the fingerprints of an address", () => {
  it("differ in the field that differs, and in no other", () => {
    const account = applied(edge("e", { description: "a" }));
    const [one, other] = ["a", "b"].map((text) => stateOf(account, "TLSEdge/e", edge("e", { description: text })));
    const [before, after] = [one?.desired?.split(" ") ?? [], other?.desired?.split(" ") ?? []];
    const different = after.filter((part) => !before.includes(part));
    expect(different.map((part) => part.slice(0, part.indexOf(":")))).toEqual(["spec.description"]);
    expect(before).toHaveLength(after.length);
    for (const part of before) expect(part).toMatch(/^[a-z_.]+:[0-9a-f]{32}$/u);
    expect([one?.same, other?.same, one?.live]).toEqual([true, false, other?.live]);
  });

  it("are the same whatever the secrets are, and hold none, wherever a manifest or a name tells that it is one", () => {
    const policyWith = (text: string): Manifest =>
      policed(
        policy.fromManifest({
          on_tcp_connect: [
            { actions: [{ type: "a", config: { "x-odd": Secret.of(text, "env ODD"), password: `plain ${text}` } }] },
          ],
        }),
      );
    const account = new Account();
    account.secrets["TLSEdge/e#traffic_policy.value"] =
      '{"on_tcp_connect":[{"actions":[{"type":"a","config":{"x-odd":"live-secret","password":"live-password"}}]}]}';
    account.carryOut(account.plan([policyWith("live-secret")]));
    const changed = account.plan([policyWith("git-secret")]);
    expect(changed.changes).toHaveLength(1);
    const one = stateOf(account, "TLSEdge/e", policyWith("git-secret"));
    expect({ ...stateOf(account, "TLSEdge/e", policyWith("another")), same: false }).toEqual({ ...one, same: false });
    // What would be hashed without them is not hashed with them: no secret is part of any hash.
    const said = '{"on_tcp_connect":[{"actions":[{"config":{"password":(secret),"x-odd":(secret)},"type":"a"}]}]}';
    expect(one.live).toContain(`traffic_policy.value:${fingerprint([said]).slice("sha256:".length).slice(0, 32)}`);
  });

  it("leave out the secret of a field and of a module, and say that the rest differs", () => {
    const withKey = (key: string): Manifest =>
      manifest("TLSCertificate", "c", { certificate_pem: pem("A"), private_key_pem: Secret.of(key, "env K") });
    const account = applied(withKey("one"));
    expect(stateOf(account, "TLSCertificate/c", withKey("two"))).toEqual(
      stateOf(account, "TLSCertificate/c", withKey("one")),
    );
    expect(stateOf(account, "TLSCertificate/c", withKey("one")).live).not.toContain("private_key");
    const watched = new Account();
    watched.watch("HTTPSEdgeRoute", "edghtr_1", "/edges/https/edghts_1/routes/edghtr_1");
    const hook = (provider: string, secret: string): Manifest =>
      route("r", { webhook_verification: { provider, secret: Secret.of(secret, "env HOOK") } });
    watched.secrets["HTTPSEdgeRoute/r#webhook_verification.secret"] = "one";
    watched.apply([hook("GITHUB", "one")]);
    const rotated = stateOf(watched, "HTTPSEdgeRoute/r", hook("GITHUB", "two"));
    expect(rotated.live).not.toContain("webhook_verification.secret");
    const other = stateOf(watched, "HTTPSEdgeRoute/r", hook("SLACK", "one"));
    expect(other.desired).not.toBe(rotated.desired);
  });
});
