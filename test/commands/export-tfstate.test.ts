import { describe, expect, it } from "vitest";
import { resource, tfState, type StateResource } from "../export/support/tfstate.ts";
import { violations } from "../schemas/all-schemas.ts";
import { selfSigned } from "../sandbox/certificates.ts";
import { type Ran, type Stage, stage } from "./stage.ts";

const { key, pem } = await selfSigned("www.example.com");

async function terraformed(): Promise<{ readonly on: Stage; readonly resources: readonly StateResource[] }> {
  const on = await stage();
  const made = (
    path: string,
    body: { readonly [member: string]: string | number | boolean | readonly string[] | object },
  ) => String(on.behind("POST", path, JSON.parse(JSON.stringify(body)))["id"]);
  const soon = made("/backends/http_response", { status_code: 503, description: "Maintenance page" });
  const eu = made("/reserved_addrs", { region: "eu", description: "broker" });
  const us = made("/reserved_addrs", { region: "us", description: "broker" });
  const office = made("/ip_restrictions", { type: "dashboard", enforced: true, ip_policy_ids: ["ipp_1"] });
  const www = made("/tls_certificates", { certificate_pem: pem, private_key_pem: key });
  const api = made("/edges/tls", { hostports: ["api.example.com:443"], backend: { backend_id: soon } });
  made("/reserved_addrs", { region: "us", description: "by hand" });
  on.behind("PUT", "/edges/https/edghts_1/tls_termination", { min_version: "1.3" });
  const broker: StateResource = {
    ...resource("ngrok_reserved_addr.broker", eu, { key: "eu" }),
    module: 'module.tcp["prod"]',
  };
  return {
    on,
    resources: [
      resource("ngrok_http_response_backend.soon", soon),
      { ...broker, instances: [...broker.instances, ...resource("x.x", us, { key: "us" }).instances] },
      resource("ngrok_ip_restriction.office", office, { key: 0 }),
      resource("ngrok_tls_certificate.www", www),
      resource("ngrok_edge_tls.api", api, { module: "module.edges.module.tls" }),
      resource("ngrok_edge_https.web", "edghts_1"),
      resource("ngrok_reserved_domain.app", "rd_1"),
      resource("ngrok_reserved_domain.www", "rd_2"),
      resource("ngrok_credential.ci", "cr_1", { key: 'it\'s "quoted"' }),
      resource("ngrok_tls_certificate.read", "cert_read", { mode: "data" }),
      resource("aws_instance.vm", "i-1", { provider: 'provider["registry.terraform.io/hashicorp/aws"]' }),
    ],
  };
}

async function exported(on: Stage, state: unknown, ...args: readonly string[]): Promise<Ran> {
  await on.write("terraform.tfstate", JSON.stringify(state));
  return on.run("export", "--from-tfstate", "terraform.tfstate", ...args);
}

describe("export --from-tfstate", () => {
  it("takes names and ids from the state: the plan only adopts, and is then empty", async () => {
    const { on, resources } = await terraformed();
    const { exit, err } = await exported(on, tfState(...resources), "--out-dir", "edge");
    expect(exit, err).toBe(0);
    expect((await on.run("validate")).exit).toBe(0);
    const plan = JSON.parse((await on.run("plan", "-o", "json")).out);
    expect(plan.refusals).toEqual([]);
    expect(
      plan.changes.map(({ address, action }: { address: string; action: string }) => `${action} ${address}`),
    ).toEqual([
      "adopt IPRestriction/office-0",
      "adopt TLSEdge/edges-tls-api",
      "adopt ReservedAddress/tcp-prod-broker-eu",
      "adopt ReservedAddress/tcp-prod-broker-us",
      "adopt HTTPResponseBackend/soon",
      "adopt TLSCertificate/www",
    ]);
    for (const { fields } of plan.changes)
      expect(fields.map(({ path }: { path: string }) => path)).toEqual(["metadata.marker"]);
    expect(plan.summary.unchanged).toBe(1);
    expect(err).toContain("warning: ngrok_edge_https.web: edgewise manages only its modules");
    expect(await on.read("edge/https-edge.yaml")).toContain("name: web\n  id: edghts_1\n");
    expect((await on.run("apply", "-y")).exit).toBe(0);
    expect((await on.run("plan", "--detailed-exitcode")).exit).toBe(0);
  });

  it("as JSON it has the same in a member", async () => {
    const { on, resources } = await terraformed();
    const { out } = await exported(on, tfState(...resources), "-o", "json");
    const report = JSON.parse(out);
    expect(violations("export", report)).toEqual([]);
    expect(report.manifests).toHaveLength(7);
    expect(report.terraform.exported).toContainEqual({
      terraform: "module.edges.module.tls.ngrok_edge_tls.api",
      address: "TLSEdge/edges-tls-api",
      id: on.id("TLSEdge"),
    });
    expect(report.terraform.unmanaged.map(({ type }: { type: string }) => type)).toEqual([
      "aws_instance",
      "ngrok_credential",
      "ngrok_reserved_domain",
    ]);
    expect(report.terraform.notExported).toEqual([]);
  });

  it("says of everything in the state that has no manifest why it has none", async () => {
    const on = await stage({
      lists: {
        TLSCertificate: [{ id: "cert_auto", issued_at: "2026-01-01T00:00:00Z", certificate_pem: pem }],
        HTTPResponseBackend: [
          { id: "bkdhr_other", status_code: 200, metadata: '{"edgewise":{"stack":"theirs","name":"x"}}' },
          { id: "bkdhr_1", status_code: 200 },
          { id: "bkdhr_old", status_code: 200 },
          { id: "bkdhr_odd", status_code: 999 },
        ],
      },
    });
    const state = tfState(
      resource("ngrok_http_response_backend.one", "bkdhr_1"),
      resource("ngrok_http_response_backend.again", "bkdhr_1"),
      resource("ngrok_http_response_backend.one", "bkdhr_old", { deposed: "0a1b2c3d" }),
      resource("ngrok_http_response_backend.theirs", "bkdhr_other"),
      resource("ngrok_http_response_backend.odd", "bkdhr_odd"),
      resource("ngrok_http_response_backend.half", null),
      resource("ngrok_reserved_addr.gone", "ra_gone"),
      resource("ngrok_reserved_addr.mistaken", "bkdhr_1"),
      resource("ngrok_tls_certificate.auto", "cert_auto"),
      resource("ngrok_edge_https.bare", "edghts_bare"),
    );
    const { err, exit, out } = await exported(on, state, "-o", "json");
    expect(exit).toBe(0);
    const { terraform } = JSON.parse(out);
    expect(terraform.exported).toEqual([
      { terraform: "ngrok_http_response_backend.one", address: "HTTPResponseBackend/one", id: "bkdhr_1" },
      { terraform: "ngrok_http_response_backend.again", address: "HTTPResponseBackend/one", id: "bkdhr_1" },
    ]);
    const reasons = terraform.notExported.map(
      ({ reason, terraform }: { readonly reason: string; readonly terraform: string }) => `${terraform}: ${reason}`,
    );
    expect(reasons).toEqual([
      "ngrok_http_response_backend.one: it is deposed: Terraform has replaced bkdhr_old, and would delete it with its next apply",
      expect.stringMatching(/^ngrok_http_response_backend.theirs: bkdhr_other is not live .* or was not selected/u),
      expect.stringMatching(/^ngrok_http_response_backend.odd: .*599/u),
      "ngrok_http_response_backend.half: the state has no id of it",
      expect.stringMatching(/^ngrok_reserved_addr.gone: ra_gone is not live/u),
      expect.stringMatching(/^ngrok_reserved_addr.mistaken: bkdhr_1 is not live/u),
      expect.stringMatching(/^ngrok_tls_certificate.auto: the service issued this certificate/u),
      expect.stringMatching(/^ngrok_edge_https.bare: edghts_bare is not live/u),
    ]);
    for (const address of ["one", "theirs", "half"]) {
      expect(err).toContain(`warning: ngrok_http_response_backend.${address} was not exported: `);
    }
    expect(err.match(/cert_auto/gu)).toHaveLength(1);
    expect(err.match(/bkdhr_odd/gu)).toHaveLength(1);
  });

  it.each([
    ['{"version": 4, "resources": [', "it is not valid JSON"],
    ['{"version": 3, "modules": []}', "is not a Terraform state of version 4"],
    [
      '{"serial":1,"lineage":"x","meta":{},"encrypted_data":"CANARY","encryption_version":"v0"}',
      "is not a Terraform state of version 4",
    ],
    [`{"version":4,"resources":${"[".repeat(200)}${"]".repeat(200)}}`, "it is nested too deep"],
  ])("refuses %s before the first request, and quotes nothing of it", async (text, why) => {
    const on = await stage();
    await on.write("terraform.tfstate", text);
    const { err, exit, out } = await on.run("export", "--from-tfstate", "terraform.tfstate");
    expect({ exit, out }).toEqual({ exit: 1, out: "" });
    expect(err).toContain(`error: terraform.tfstate `);
    expect(err).toContain(why);
    expect(err).not.toContain("CANARY");
    expect(on.sandbox.requests().log).toEqual([]);
  });
});
