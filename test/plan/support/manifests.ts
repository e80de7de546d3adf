import type { Value, ValueObject } from "../../../src/core/json.ts";
import type { Manifest } from "../../../src/manifest/manifest.ts";
import { Secret } from "../../../src/core/secret.ts";
import { manifest } from "./account.ts";

export type More = Partial<Pick<Manifest, "id" | "previousNames" | "lifecycle" | "labels">>;

export function edge(name: string, spec: ValueObject = {}, more: More = {}): Manifest {
  return manifest("TLSEdge", name, { hostports: [`${name}.example.com:443`], ...spec }, more);
}

export function backend(name: string, spec: ValueObject = {}, more: More = {}): Manifest {
  return manifest("HTTPResponseBackend", name, { status_code: 503, ...spec }, more);
}

export function address(name: string, spec: ValueObject = {}, more: More = {}): Manifest {
  return manifest("ReservedAddress", name, spec, more);
}

export function loose(name: string, spec: ValueObject = {}): Manifest {
  return address(name, spec, { lifecycle: { ignore: [], deletion: "delete" } });
}

export function restriction(name: string, spec: ValueObject = {}, more: More = {}): Manifest {
  const policies: Value = [{ id: "ipp_1" }];
  return manifest("IPRestriction", name, { type: "agent", enforced: true, ip_policies: policies, ...spec }, more);
}

export function certificate(name: string, chain: string, more: More = {}, spec: ValueObject = {}): Manifest {
  const key = Secret.of(`KEY-OF-${name}`, "env KEY");
  return manifest("TLSCertificate", name, { certificate_pem: pem(chain), private_key_pem: key, ...spec }, more);
}

export function route(name: string, spec: ValueObject, id = "edghtr_1"): Manifest {
  return manifest("HTTPSEdgeRoute", name, { edge: { id: "edghts_1" }, ...spec }, { id });
}

export function httpsEdge(name: string, spec: ValueObject, id = "edghts_1"): Manifest {
  return manifest("HTTPSEdge", name, spec, { id });
}

export function pem(body: string): string {
  return `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`;
}

export function marked(stack: string, name: string, more: { readonly [member: string]: string } = {}): string {
  return JSON.stringify({ edgewise: { stack, name, ...more } });
}

export function lifecycle(of: Partial<Manifest["lifecycle"]>): More {
  return { lifecycle: { ignore: [], ...of } };
}
