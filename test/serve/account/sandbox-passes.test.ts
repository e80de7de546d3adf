import { describe, expect, it } from "vitest";
import { createClient } from "../../../src/api/create-client.ts";
import { systemClock } from "../../../src/api/system-clock.ts";
import { Secret } from "../../../src/secret.ts";
import type { PassDeps } from "../../../src/serve/account/account-pass.ts";
import { done, sandboxFor } from "../../sandbox/support.ts";
import { Stage, account, backend } from "./support/stage.ts";

const edge = `apiVersion: edgewise/v1
kind: TLSEdge
metadata: {name: api}
spec:
  description: API
  hostports: ["api.example.com:443"]
  backend: {backend: {name: sorry}}
`;

describe("passes over a sandbox", () => {
  it("apply a commit, heal a hand edit, and delete what a commit removes, over HTTP", async () => {
    const sandbox = await sandboxFor();
    const connect: PassDeps["connect"] = async (to, changes) =>
      createClient({
        baseUrl: to.baseUrl,
        apiKey: Secret.of(sandbox.apiKey, "file"),
        versionHeader: to.versionHeader,
        concurrency: 8,
        timeoutMs: 10_000,
        requestsPerMinute: null,
        env: {},
        ...changes,
      });
    const stage = new Stage();
    const more = { policy: { apply: { commit: "security", drift: "routing" } } } as const;
    stage.add("shop", { "a.yaml": backend("sorry", "Back soon"), "b.yaml": edge }, more);
    const pass = async (): Promise<string> => {
      const input = { account: { ...account, baseUrl: sandbox.baseUrl } };
      await stage.pass({ deps: { connect, clock: systemClock }, input });
      return stage.stateOf("shop");
    };
    expect(await pass()).toBe("synced");
    const edges = async (): Promise<readonly { readonly id: string; readonly hostports: readonly string[] }[]> => {
      const { tls_edges: found } = await done(sandbox, "GET", "/edges/tls");
      return JSON.parse(JSON.stringify(found));
    };
    const [live] = await edges();
    await done(sandbox, "PATCH", `/edges/tls/${live?.id ?? ""}`, { hostports: ["other.example.com:443"] });
    expect(await pass()).toBe("synced");
    expect((await edges()).map(({ hostports }) => hostports)).toEqual([["api.example.com:443"]]);
    stage.commit({ "shop/m/b.yaml": null });
    // A delete is irreversible for nobody here: the backend stays, the edge goes.
    expect(await pass()).toBe("synced");
    expect(await edges()).toEqual([]);
    expect((await stage.recordOf("shop")).memory.deletes).toHaveLength(1);
  });
});
