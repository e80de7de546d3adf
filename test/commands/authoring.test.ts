import { describe, expect, it } from "vitest";
import { listPaths } from "../support/lists.ts";
import { backend, edge, stage } from "./stage.ts";

describe("graph", () => {
  const manifests =
    backend("down") +
    edge(
      "api",
      "api.example.com:443",
      ", backend: {backend: {name: down}}, ip_restriction: {ip_policies: [{id: ipp_1}]}",
    );

  it("as JSON: manifests, and what they refer to, offline", async () => {
    const { runWith } = await stage({ manifests });
    const { exit, out } = await runWith({ env: {} }, "graph", "-o", "json").ran;
    expect(exit).toBe(0);
    expect(JSON.parse(out)).toEqual({
      nodes: expect.arrayContaining([
        expect.objectContaining({ id: "TLSEdge/api", kind: "TLSEdge" }),
        expect.objectContaining({ id: "HTTPResponseBackend/down", kind: "HTTPResponseBackend" }),
        { id: "ipp_1", kind: null, source: null },
      ]),
      edges: [
        { from: "TLSEdge/api", to: "HTTPResponseBackend/down", path: "spec.backend.backend" },
        { from: "TLSEdge/api", to: "ipp_1", path: "spec.ip_restriction.ip_policies" },
      ],
    });
  });
});

describe("ping", () => {
  it("says that all is well, as text and JSON", async () => {
    const { run, sandbox, writes } = await stage();
    const { exit, out } = await run("ping");
    expect(exit).toBe(0);
    expect(out).toContain(sandbox.baseUrl);
    const json = JSON.parse((await run("ping", "-o", "json")).out);
    expect(json).toMatchObject({ ok: true, baseUrl: sandbox.baseUrl, versionHeader: "Service-Version" });
    expect(writes()).toBe(0);
    expect(out).toContain(`All ${listPaths.length} collections can be read.`);
    expect(json.collections).toHaveLength(listPaths.length);
    expect(json.collections).toContainEqual({
      kind: "IPRestriction",
      path: "/ip_restrictions",
      readable: true,
      status: 200,
      reason: null,
    });
    expect(sandbox.requests().total).toBe(2 * listPaths.length);
  });

  it.each([["status=401,path=/edges/tls", 1, 401]])(
    "with %s it names what can't be read",
    async (fault, exit, status) => {
      const { run } = await stage({ faults: [fault] });
      const text = await run("ping");
      expect(text.exit).toBe(exit);
      expect(text.out).toMatch(
        new RegExp(`^http.* accepts the key.*\nTLSEdge can't be read: GET /edges/tls: ${status} `, "u"),
      );
      const json = await run("ping", "-o", "json");
      expect(json.exit).toBe(exit);
      const { collections, ok } = JSON.parse(json.out);
      expect(ok).toBe(exit === 0);
      const unread = collections.filter(({ readable }: { readonly readable: boolean }) => !readable);
      expect(unread).toMatchObject([{ kind: "TLSEdge", path: "/edges/tls", status, reason: expect.any(String) }]);
    },
  );

  it.each([
    [{ EDGEWISE_API_KEY: "another-key" }, [], "EDGEWISE_API_KEY"],
    [{}, ["--version-header", "Other-Version"], "Check the version header"],
    [{ EDGEWISE_BASE_URL: "http://127.0.0.1:9" }, [], "http://127.0.0.1:9"],
    [{}, ["--base-url", "SANDBOX/nowhere"], "/nowhere"],
  ])("with %j %j it fails and tells what to check", async (changed, args, words) => {
    const { runWith, env, sandbox } = await stage();
    const given = args.map((arg) => arg.replace("SANDBOX", sandbox.baseUrl));
    const { exit, out, err } = await runWith({ env: { ...env, ...changed } }, "ping", ...given).ran;
    expect(exit).toBe(1);
    expect(out).toBe("");
    expect(err).toContain(words);
    expect(err).toContain("\nCheck ");
  });
});
