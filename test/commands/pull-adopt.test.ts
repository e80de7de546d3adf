import { describe, expect, it } from "vitest";
import { violations } from "../schemas/all-schemas.ts";
import { selfSigned } from "../sandbox/certificates.ts";
import { type Stage, stage } from "./stage.ts";

const { key, pem } = await selfSigned("www.example.com");

const edge = (name: string, hostports: string): string =>
  `apiVersion: edgewise/v1\nkind: TLSEdge\nmetadata: {name: ${name}} # ours\nspec: {hostports: [${hostports}]}\n`;

async function byHand(...manifests: readonly string[]): Promise<Stage & { readonly edges: readonly string[] }> {
  const on = await stage({ manifests: manifests.join("---\n") });
  const make = (path: string, body: object): string => String(on.behind("POST", path, { ...body })["id"]);
  make("/reserved_addrs", { description: "EU ingress", region: "eu" });
  const edges = ["a", "b", "d"].map((one) => make("/edges/tls", { hostports: [`${one}.example.com:443`] }));
  return { ...on, edges };
}

describe("pull --adopt", () => {
  it("writes the ids of what no stack owns, and the next plan only adopts", async () => {
    const address = `apiVersion: edgewise/v1
kind: ReservedAddress
metadata:
  name: tcp-eu
  labels: {team: net}
spec: {region: eu, description: EU ingress}
`;
    const on = await byHand(edge("api", "a.example.com:443"), address, edge("new", "c.example.com:443"));
    const { err, exit, out } = await on.run("pull", "--adopt", "-y", "-o", "json");
    expect(exit, err).toBe(0);
    const report = JSON.parse(out);
    expect(violations("pull", report)).toEqual([]);
    expect(report.left).toEqual([]);
    expect(report.pulled.map((one: { address: string }) => one.address).sort()).toEqual([
      "ReservedAddress/tcp-eu",
      "TLSEdge/api",
    ]);
    const text = await on.read("edge/all.yaml");
    expect(text).toContain(`metadata: {name: api, id: ${on.edges[0] ?? ""}} # ours\n`);
    expect(text).toContain(`  name: tcp-eu\n  id: ${on.id("ReservedAddress")}\n  labels: {team: net}\n`);
    expect(text).toContain("metadata: {name: new} # ours\n");
    const plan = JSON.parse((await on.run("plan", "-o", "json")).out);
    expect(plan.changes.map(({ action, address: of }: { [member: string]: string }) => [of, action]).sort()).toEqual([
      ["ReservedAddress/tcp-eu", "adopt"],
      ["TLSEdge/api", "adopt"],
      ["TLSEdge/new", "create"],
    ]);
    expect(plan.refusals).toEqual([]);
  });

  it("writes nothing where several are possible, only part is the same, or two manifests mean one", async () => {
    const on = await byHand(
      edge("both", "a.example.com:443, b.example.com:443"),
      edge("more", "c.example.com:443, d.example.com:443"),
      ...["one", "two"].map(
        (name) =>
          `apiVersion: edgewise/v1\nkind: ReservedAddress\nmetadata: {name: ${name}}\nspec: {region: eu, description: EU ingress}\n`,
      ),
    );
    const before = await on.read("edge/all.yaml");
    const { exit, out } = await on.run("pull", "--adopt", "-y");
    expect(exit).toBe(0);
    expect(await on.read("edge/all.yaml")).toBe(before);
    expect(out).toContain(`could be ${on.edges.slice(0, 2).sort().join(", ")},`);
    expect(out.replaceAll(/\s+/gu, " ")).toContain(`metadata: {id: ${on.edges[2] ?? ""}}`);
    expect(out.split(`could be ${on.id("ReservedAddress")},`)).toHaveLength(3);
  });

  it("never takes what another stack owns", async () => {
    const on = await byHand(edge("api", "a.example.com:443"));
    expect((await on.run("pull", "--adopt", "-y")).exit).toBe(0);
    expect((await on.run("apply", "-y")).exit).toBe(0);
    await on.write("edge/all.yaml", edge("api", "a.example.com:443"));
    const { err, out } = await on.run("pull", "--adopt", "-y", "--stack", "other");
    expect(out).toContain("Nothing to pull");
    expect(err).toContain("found no resource without an owner");
    expect(await on.read("edge/all.yaml")).toBe(edge("api", "a.example.com:443"));
  });

  it("finds a certificate by its chain, and asks before it writes", async () => {
    const certificate = `apiVersion: edgewise/v1
kind: TLSCertificate
metadata: {name: www}
spec: {certificate_pem: {file: www.pem}, private_key_pem: {env: KEY}}
`;
    const on = await byHand(certificate);
    await on.write("edge/www.pem", pem);
    on.behind("POST", "/tls_certificates", { certificate_pem: pem, private_key_pem: key });
    const unasked = await on.run("pull", "--adopt");
    expect(unasked.exit).toBe(1);
    expect(await on.read("edge/all.yaml")).toBe(certificate);
    const { err, exit } = await on.run("pull", "--adopt", "-y", "TLSCertificate/www");
    expect(exit, err).toBe(0);
    expect(await on.read("edge/all.yaml")).toContain(`metadata: {name: www, id: ${on.id("TLSCertificate")}}`);
  });
});
