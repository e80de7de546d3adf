import { beforeEach, describe, expect, it } from "vitest";
import { Secret } from "../../src/core/secret.ts";
import { Account, bodyOf, changeOf, paths, warnings, writes } from "./support/account.ts";
import { backend, httpsEdge, route } from "./support/manifests.ts";

const routePath = "/edges/https/edghts_1/routes/edghtr_1";
const edgePath = "/edges/https/edghts_1";
const secretOf = (text: string): Secret => Secret.of(text, "env HOOK");
const github = (
  secret: Secret | null = secretOf("one"),
  provider = "GITHUB",
): { readonly webhook_verification: { readonly provider: string; readonly secret?: Secret } } => ({
  webhook_verification: { provider, ...(secret === null ? {} : { secret }) },
});
const policy = { traffic_policy: { value: { on_http_request: [{ actions: [{ type: "deny" }] }] } } };

let account: Account;
beforeEach(() => {
  account = new Account();
  account.watch("HTTPSEdgeRoute", "edghtr_1", routePath);
  account.watch("HTTPSEdge", "edghts_1", edgePath);
  account.secrets["HTTPSEdgeRoute/hook#webhook_verification.secret"] = "one";
});

describe("an HTTPS manifest", () => {
  it("speaks only of the modules that it names", () => {
    account.call("PUT", `${routePath}/traffic_policy`, { value: "{}" });
    account.call("PUT", `${edgePath}/tls_termination`, { min_version: "1.3" });
    account.call("PUT", `${routePath}/webhook_verification`, { provider: "GITHUB", secret: "one" });
    expect(account.plan([route("hook", {}), httpsEdge("web", {})])).toMatchObject({ changes: [], operations: [] });
    expect(account.plan([route("hook", github())]).changes).toEqual([]);
  });

  it("has a module made that it names as an object: one PUT", () => {
    const plan = account.apply([
      route("hook", { ...github(), ...policy }),
      httpsEdge("web", { tls_termination: { min_version: "1.3" } }),
    ]);
    expect(writes(plan)).toEqual([
      `PUT ${edgePath}/tls_termination`,
      `PUT ${routePath}/webhook_verification`,
      `PUT ${routePath}/traffic_policy`,
    ]);
    expect(plan.summary).toMatchObject({ update: 2, create: 0 });
    expect(plan.operations[0]?.body).toEqual({ enabled: true, min_version: "1.3" });
    expect(plan.operations[1]?.body).toEqual({ enabled: true, provider: "GITHUB", secret: null });
    expect(plan.operations[1]?.bind).toEqual({
      "/secret": { secret: "HTTPSEdgeRoute/hook#webhook_verification.secret" },
    });
    expect(plan.operations[2]?.waits).toEqual({ "op-2": "same" });
    expect(account.plan([route("hook", { ...github(), ...policy })]).changes).toEqual([]);
  });

  it("has a module removed that it names as null: one DELETE, and none when it isn't there", () => {
    expect(account.plan([route("hook", { webhook_verification: null })]).changes).toEqual([]);
    account.call("PUT", `${routePath}/webhook_verification`, { provider: "GITHUB", secret: "one" });
    const plan = account.apply([route("hook", { webhook_verification: null })]);
    expect(writes(plan)).toEqual([`DELETE ${routePath}/webhook_verification`]);
    expect(changeOf(plan, "HTTPSEdgeRoute/hook")).toMatchObject({ action: "update", impact: "security" });
  });

  it("leaves a module alone when it isn't named any more, and when it is gone itself", () => {
    account.apply([route("hook", github())]);
    expect(account.plan([route("hook", {})]).changes).toEqual([]);
    expect(account.plan([backend("b")]).changes.map(({ action }) => action)).toEqual(["create"]);
    expect(account.plan([], { destroy: true }).operations).toEqual([]);
  });

  it("ignores terminate_at, which is in responses alone", () => {
    account.call("PUT", `${edgePath}/tls_termination`, { min_version: "1.2" });
    expect(account.world.modules.get(`${edgePath}/tls_termination`)).toHaveProperty("terminate_at");
    const plan = account.plan([httpsEdge("web", { tls_termination: { min_version: "1.3" } })]);
    expect(paths(changeOf(plan, "HTTPSEdge/web"))).toEqual(["spec.tls_termination.min_version"]);
    expect(bodyOf(plan, "HTTPSEdge/web")).toEqual({ enabled: true, min_version: "1.3" });
  });
});

describe("a webhook's secret", () => {
  beforeEach(
    () => void account.call("PUT", `${routePath}/webhook_verification`, { provider: "GITHUB", secret: "one" }),
  );

  it("that isn't available counts as unchanged, with a warning", () => {
    const missing = Secret.unavailable("env HOOK", "HOOK is not set");
    const plan = account.plan([route("hook", github(missing))]);
    expect(plan.changes).toEqual([]);
    expect(plan.warnings).toMatchObject([{ code: "secret-unknown", address: "HTTPSEdgeRoute/hook" }]);
  });

  it("that isn't available is bound all the same when something else of the module changes", () => {
    const missing = Secret.unavailable("env HOOK", "HOOK is not set");
    const plan = account.plan([route("hook", github(missing, "GITLAB"))]);
    expect(paths(changeOf(plan, "HTTPSEdgeRoute/hook"))).toEqual(["spec.webhook_verification.provider"]);
    expect(plan.operations[0]?.bind).toHaveProperty("/secret");
    expect(warnings(plan)).toEqual(["secret-unknown", "secret-unavailable"]);
  });

  it("is left out for SNS, which signs without one", () => {
    const plan = account.apply([route("hook", github(null, "SNS"))]);
    expect(bodyOf(plan, "HTTPSEdgeRoute/hook")).toEqual({ enabled: true, provider: "SNS" });
    expect(account.plan([route("hook", github(null, "SNS"))]).changes).toEqual([]);
  });
});
