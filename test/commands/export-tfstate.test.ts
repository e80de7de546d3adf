import { describe, expect, it } from "vitest";
import { resource, shownState, tfState, type StateResource } from "../export/support/tfstate.ts";
import { violations } from "../schemas/all-schemas.ts";
import { selfSigned } from "../sandbox/certificates.ts";
import { type Ran, type Stage, stage } from "./stage.ts";

const { key, pem } = await selfSigned("www.example.com");

/** An account that Terraform made, what its state says of it, and one address that somebody made by hand. */
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
      resource("ngrok_tls_certificate.www", www, { status: "tainted" }),
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
  it.each([
    ["the state", tfState],
    ["the output of terraform show -json", shownState],
  ])("takes names and ids from %s: the plan only adopts, and is then empty", async (_, state) => {
    const { on, resources } = await terraformed();
    const { exit, err } = await exported(on, state(...resources), "--out-dir", "edge");
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
    expect(await on.read("edge/https-edge.yaml")).toContain("name: web\n  id: edghts_1\n");
    expect((await on.run("apply", "-y")).exit).toBe(0);
    expect((await on.run("plan", "--detailed-exitcode")).exit).toBe(0);
  });

  it("lists what stays with Terraform, on stderr and beside the manifests", async () => {
    const { on, resources } = await terraformed();
    const { err } = await exported(on, tfState(...resources), "--out-dir", "edge");
    const comments = await on.read("edge/not-exported.yaml");
    for (const line of [
      "edgewise doesn't manage ngrok_reserved_domain, which stays with Terraform (2): ngrok_reserved_domain.app, ngrok_reserved_domain.www",
      'edgewise doesn\'t manage ngrok_credential, which stays with Terraform (1): ngrok_credential.ci["it\'s \\"quoted\\""]',
      "types of other providers stay with Terraform: aws_instance (1)",
      "ngrok_tls_certificate.www is tainted",
    ]) {
      expect(err).toContain(`warning: ${line}`);
      expect(comments).toContain(`# ${line}`);
    }
    expect(err).not.toContain("data");
    expect(err).toContain('  terraform state rm \'module.tcp["prod"].ngrok_reserved_addr.broker["eu"]\'\n');
    expect(err).toContain("  terraform state rm ngrok_tls_certificate.www\n");
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
      "ngrok_credential",
      "ngrok_reserved_domain",
      "aws_instance",
    ]);
    expect(report.terraform.notExported).toEqual([]);
  });
});
