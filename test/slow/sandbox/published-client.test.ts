import { Ngrok } from "@ngrok/ngrok-api";
import { describe, expect, it } from "vitest";
import { sandboxFor } from "../../sandbox/support.ts";

/** It throws on a 204 although the delete was done. */
async function deleted(call: Promise<unknown>): Promise<void> {
  await call.catch(() => {});
}

async function start() {
  const sandbox = await sandboxFor({ lenient: true, moduleEndpoints: ["backend", "ip_restriction"] });
  return { sandbox, client: new Ngrok({ apiToken: sandbox.apiKey, baseUrl: sandbox.baseUrl }) };
}

describe("a client that other people published", () => {
  it("manages HTTP response backends", async () => {
    const { sandbox, client } = await start();
    const { httpResponseBackends } = client.backends;
    const made = await httpResponseBackends.create({
      description: "",
      metadata: "",
      body: "soon",
      // The client turns a Map into nothing, and upper case in names into underscores.
      headers: { accept: "x" } as never,
      statusCode: 503,
    });
    expect(made).toMatchObject({ body: "soon", statusCode: 503, headers: { accept: "x" } });
    expect(await httpResponseBackends.update({ id: made.id, body: "later" })).toMatchObject({
      body: "later",
      statusCode: 503,
    });
    expect(await httpResponseBackends.list()).toMatchObject([{ id: made.id }]);
    await deleted(httpResponseBackends.delete(made.id));
    expect(sandbox.world().lists.HTTPResponseBackend).toEqual([]);
  });

  it("manages TLS edges and their modules", async () => {
    const { sandbox, client } = await start();
    const { edgesTls } = client.edges;
    const modules = client.edgeModules;
    const backend = await client.backends.httpResponseBackends.create({
      statusCode: 200,
      body: "",
      headers: new Map(),
    });
    const { id } = await edgesTls.create({
      hostports: ["a.example:443"],
      backend: { backendId: backend.id },
      ipRestriction: { ipPolicyIds: ["ipp_1"] },
    });
    expect(await edgesTls.get(id)).toMatchObject({ backend: { enabled: true, backend: { id: backend.id } } });

    await modules.tlsEdgeMutualTlsModule.replace({ id, module: { certificateAuthorityIds: ["ca_1"] } });
    expect(await modules.tlsEdgeMutualTlsModule.get(id)).toMatchObject({ certificateAuthorities: [{ id: "ca_1" }] });
    await deleted(modules.tlsEdgeMutualTlsModule.delete(id));

    await modules.tlsEdgeTlsTerminationModule.replace({ id, module: { terminateAt: "edge", minVersion: "1.3" } });
    expect(await modules.tlsEdgeTlsTerminationModule.get(id)).toMatchObject({ terminateAt: "edge", minVersion: "1.3" });

    await modules.tlsEdgeIpRestrictionModule.replace({ id, module: { enabled: false, ipPolicyIds: ["ipp_2"] } });
    await modules.tlsEdgeBackendModule.replace({ id, module: { enabled: false, backendId: backend.id } });
    expect(await modules.tlsEdgeBackendModule.get(id)).toMatchObject({ enabled: false });

    const changed = await edgesTls.update({ id, hostports: ["b.example:443"] });
    expect(changed).toMatchObject({
      hostports: ["b.example:443"],
      mutualTls: null,
      tlsTermination: { minVersion: "1.3" },
      ipRestriction: { enabled: false, ipPolicies: [{ id: "ipp_2" }] },
    });
    await deleted(modules.tlsEdgeIpRestrictionModule.delete(id));
    expect(await edgesTls.list()).toMatchObject([{ id, ipRestriction: null }]);
    await deleted(edgesTls.delete(id));
    expect(sandbox.world().lists.TLSEdge).toEqual([]);
  });

  it("manages modules of HTTPS edges", async () => {
    const { sandbox, client } = await start();
    const webhook = client.edgeModules.edgeRouteWebhookVerificationModule;
    const target = { edgeId: "edghts_1", id: "edghtsrt_1" };
    await webhook.replace({ ...target, module: { provider: "GITHUB", secret: "hush" } });
    expect(await webhook.get(target)).toEqual({ enabled: true, provider: "GITHUB", secret: "hush" });
    await deleted(webhook.delete(target));
    expect(sandbox.world().modules).toEqual({});
    const termination = client.edgeModules.httpsEdgeTlsTerminationModule;
    await termination.replace({ id: "edghts_1", module: { minVersion: "1.3" } });
    expect(await termination.get("edghts_1")).toMatchObject({ minVersion: "1.3" });
  });

  it("may send empty values for what is not given", async () => {
    const { client } = await start();
    expect(await client.reservedAddrs.create({ region: "" })).toMatchObject({ region: "us" });
    expect(await client.backends.httpResponseBackends.create({ body: "soon" } as never)).toMatchObject({
      statusCode: 200,
    });
    const { id } = await client.ipRestrictions.create({ type: "api", enforced: true, ipPolicyIds: ["ipp_1"] });
    const changed = await client.ipRestrictions.update({ id, description: "staff", ipPolicyIds: [] });
    expect(changed).toMatchObject({ description: "staff", ipPolicies: [{ id: "ipp_1" }] });
    // A module that is named is replaced completely: an empty list can't stand for the policies that it has.
    const { id: edge } = await client.edges.edgesTls.create({
      hostports: [],
      ipRestriction: { ipPolicyIds: ["ipp_1"] },
    });
    const emptied = client.edges.edgesTls.update({ id: edge, ipRestriction: { ipPolicyIds: [] } });
    await expect(emptied).rejects.toMatchObject({ statusCode: 400 });
  });

  it("reads lists of several pages to their end", async () => {
    const { client } = await start();
    const made: string[] = [];
    for (let n = 0; n < 5; n++) made.unshift((await client.reservedAddrs.create({ region: "us" })).id);
    const listed = await client.reservedAddrs.list(undefined, "2");
    expect(listed.map(({ id }) => id)).toEqual(made);
  });

  it("understands errors", async () => {
    const { client } = await start();
    const refused = client.edges.edgesTls.create({ hostports: ["nowhere"] });
    await expect(refused).rejects.toMatchObject({ statusCode: 400, msg: expect.stringContaining("host:port") });
  });
});
