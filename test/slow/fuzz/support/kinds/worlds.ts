import { stringify } from "yaml";
import { type Json, type JsonObject, isObject } from "../../../../../src/json.ts";
import { type ListedKind, listedKinds } from "../../../../../src/kinds/names.ts";
import { kinds } from "../../../../../src/kinds/registry.ts";
import type { Live } from "../../../../../src/live/live.ts";
import type { Dice } from "../../../chaos/support/dice.ts";
import { pair } from "../../../security/support/rich-manifests.ts";
import { config, type Ground } from "../ground.ts";
import { limits } from "./repository.ts";

const names = ["a", "b", "c"] as const;
const hostports = ["a.example.com:443", "b.example.com:443", "C.example.com:443", "d.example.com:443", "*.e.example:1"];

type Ids = { readonly [K in ListedKind]: readonly string[] };

/** Ids of every length that a service may give. */
function idsOf(kind: ListedKind, dice: Dice): readonly string[] {
  const long = (): string => "x".repeat(dice.pick([0, 0, 0, 30, 48, 49, 120, 300]));
  return Array.from({ length: dice.between(0, 4) }, (_, index) => `${kinds[kind].idPrefix ?? ""}${index}${long()}`);
}

/** Ownership as nobody would leave it: ours, others', of former stacks, broken, linked in circles, as large as allowed. */
function metadataOf(dice: Dice, ids: readonly string[]): Json {
  if (dice.chance(0.2)) return dice.pick<Json>([null, "", "text", "{", '{"a":1}', '{"edgewise":5}', "m".repeat(4096)]);
  const marker = {
    stack: dice.pick(["demo", "demo", "demo", "demo", "former", "other"]),
    name: dice.pick([...names, "gone"]),
    ...(dice.chance(0.2) ? { deletion: dice.pick(["delete", "protect", "orphan"]) } : {}),
    ...(dice.chance(0.2) ? { replaced: dice.pick(["delete", "orphan"]) } : {}),
    ...(dice.chance(0.4) ? { replaces: dice.pick([...ids, "none"]) } : {}),
    ...(dice.chance(0.1) ? { text: '"'.repeat(dice.pick([5, 1900])) } : {}),
  };
  const user = dice.chance(0.2) ? { owner: "o".repeat(dice.pick([3, 3800, 3980])) } : {};
  return JSON.stringify({ edgewise: marker, ...user });
}

/** What a list shows of a resource: a service may leave out, empty or repeat nearly everything. */
function wireOf(kind: ListedKind, id: string, { dice, ids }: { readonly dice: Dice; readonly ids: Ids }): JsonObject {
  const ref = (of: ListedKind): Json =>
    dice.pick<Json>([null, ...ids[of].map((each) => ({ id: each })), { id: "bkd_other" }]);
  const policies: Json = dice.pick<Json>([[], [{ id: "ipp_1" }], [{ id: "ipp_2" }, { id: "ipp_1" }], null]);
  const enabled = dice.pick<Json>([true, false, null]);
  const module = (value: JsonObject): Json => (dice.chance(0.6) ? null : dice.pick<Json>([{}, value, value, value]));
  const own: { readonly [K in ListedKind]?: () => JsonObject } = {
    HTTPResponseBackend: () => ({ status_code: dice.pick([100, 200, 503, 599]), body: "", headers: null }),
    IPRestriction: () => ({
      type: dice.pick(["api", "agent", "dashboard"]),
      enforced: dice.chance(0.5),
      ip_policies: policies,
    }),
    ReservedAddress: () => ({
      addr: `${id.slice(0, 40)}.tcp.example:${dice.pick(["1", "443"])}`,
      region: dice.pick<Json>(["us", "eu", "global", "", null]),
      endpoint_configuration: dice.pick<Json>([null, { id: "ec_1" }]),
    }),
    TLSCertificate: () => ({
      certificate_pem: dice.pick([pair.certificate, pair.certificate, pair.certificate.repeat(2)]),
      issued_at: dice.pick<Json>([null, null, "2026-01-01T00:00:00Z"]),
    }),
    TLSEdge: () => ({
      hostports: dice.some(hostports, 0.4),
      backend: module({ enabled, backend: ref("HTTPResponseBackend") }),
      ip_restriction: module({ enabled, ip_policies: policies }),
      mutual_tls: module({ enabled, certificate_authorities: dice.pick<Json>([[], [{ id: "ca_1" }]]) }),
      tls_termination: module({
        enabled,
        terminate_at: dice.pick(["edge", "upstream", "agent"]),
        min_version: dice.pick<Json>([null, "1.2", "1.3", ""]),
      }),
      traffic_policy: module({ enabled, value: dice.pick(["", "{}", "a: b", '{"on_tcp_connect":[]}']) }),
    }),
  };
  const described = {
    description: dice.pick<Json>([null, "", "text", "é".repeat(128)]),
    metadata: metadataOf(dice, ids[kind]),
  };
  return { id, uri: `/${id}`, created_at: "2026-01-01T00:00:00Z", ...described, ...own[kind]?.() };
}

function liveOf(dice: Dice, ids: Ids): Live["lists"] {
  const listOf = (kind: ListedKind): readonly JsonObject[] => ids[kind].map((id) => wireOf(kind, id, { dice, ids }));
  return Object.fromEntries(listedKinds.map((kind) => [kind, listOf(kind)])) as Live["lists"];
}

/** A spec that is mostly right, with values at the edge of what is accepted here and there. */
function specOf(kind: ListedKind, dice: Dice, ids: Ids): JsonObject {
  const backend = dice.pick<Json>([
    { name: dice.pick(names) },
    ...ids.HTTPResponseBackend.map((id) => ({ id })),
    { id: "bkd_1" },
  ]);
  const address = { address: dice.pick(names) };
  const own: { readonly [K in ListedKind]?: () => JsonObject } = {
    HTTPResponseBackend: () => ({ status_code: dice.pick([100, 503, 599]) }),
    IPRestriction: () => ({
      type: dice.pick(["api", "agent", "dashboard"]),
      enforced: dice.chance(0.5),
      ip_policies: [{ id: "ipp_1" }],
    }),
    ReservedAddress: () => (dice.chance(0.5) ? {} : { region: dice.pick(["us", "eu"]) }),
    TLSCertificate: () => ({ certificate_pem: { file: "chain.pem" }, private_key_pem: { env: "CERT_KEY" } }),
    TLSEdge: () => ({
      hostports: [...dice.some(hostports, 0.4), ...(dice.chance(0.2) ? [address] : [])] as Json,
      ...(dice.chance(0.4) ? { backend: { backend, enabled: dice.chance(0.7) } } : {}),
    }),
  };
  const full = own[kind]?.() ?? {};
  const extreme = Object.entries(limits)
    .filter(([member]) => member in kinds[kind].fields && dice.chance(0.15))
    .map(([member, value]): [string, Json] => [member, value(dice)]);
  return { ...full, ...Object.fromEntries(extreme) };
}

function manifestOf(
  kind: ListedKind,
  name: string,
  { dice, ids }: { readonly dice: Dice; readonly ids: Ids },
): JsonObject {
  const ignorable = Object.keys(kinds[kind].fields).map((member) => `spec.${member}`);
  const lifecycle = {
    ...(dice.chance(0.2) ? { deletion: dice.pick(["delete", "protect", "orphan"]) } : {}),
    ...(dice.chance(0.2) ? { replaced: dice.pick(["delete", "orphan"]) } : {}),
    ...(dice.chance(0.3) ? { ignore: dice.some(ignorable, 0.4) as Json } : {}),
  };
  const adopted = dice.chance(0.2) && ids[kind].length > 0 ? { id: dice.pick(ids[kind]) } : {};
  const renamed = dice.chance(0.1) ? { previousNames: ["gone"] } : {};
  return {
    apiVersion: "edgewise/v1",
    kind,
    metadata: { name, ...adopted, ...renamed },
    ...(Object.keys(lifecycle).length === 0 ? {} : { lifecycle }),
    spec: specOf(kind, dice, ids),
  };
}

/** What validate accepts can be planned against whatever is live: a plan that fails its rehearsal blames edgewise. */
export async function worldsRun(dice: Dice, ground: Ground): Promise<void> {
  const ids = Object.fromEntries(listedKinds.map((kind) => [kind, idsOf(kind, dice)])) as Ids;
  ground.service.begin({ lists: liveOf(dice, ids) }, null);
  const all = listedKinds.flatMap((kind) => dice.some(names, 0.5).map((name) => manifestOf(kind, name, { dice, ids })));
  ground.write("edgewise.yaml", `${config}previousStacks: [former]\n`);
  const kept = await accepted(all, ground);
  ground.write("edge/all.yaml", kept.map(text).join("---\n"));
  const lifted = listedKinds.flatMap((kind) => [...names, "gone"].flatMap((name) => ["--allow", `${kind}/${name}`]));
  const flags = [...dice.some(["--take-over", "--allow-empty"], 0.8), ...(dice.chance(0.9) ? lifted : [])];
  const { exit, out } = await ground.go(["plan", "-o", "json", "--max-deletes", "100%", ...flags]);
  if (out.includes("does-not-converge")) ground.report(`a valid manifest does not converge: ${why(out)}`);
  if (exit === 1) ground.report("what validate accepts can't be planned");
}

/** The manifests that validate accepts together. */
async function accepted(all: readonly JsonObject[], ground: Ground): Promise<readonly JsonObject[]> {
  let kept: readonly JsonObject[] = all;
  for (let left = all.length; left > 0; left -= 1) {
    ground.write("edge/all.yaml", kept.map(text).join("---\n"));
    const { exit, out } = await ground.go(["validate", "-o", "json"]);
    if (exit === 0) return kept;
    const { diagnostics } = JSON.parse(out) as {
      readonly diagnostics: readonly { severity: string; address?: string }[];
    };
    const wrong = new Set(
      diagnostics.flatMap(({ address, severity }) => (severity === "error" ? (address ?? []) : [])),
    );
    const better = kept.filter((one) => !wrong.has(addressIn(one)));
    kept = better.length === kept.length ? kept.slice(1) : better;
  }
  return [];
}

function addressIn({ kind, metadata }: JsonObject): string {
  return `${String(kind)}/${isObject(metadata) ? String(metadata["name"]) : ""}`;
}

function text(value: Json): string {
  return stringify(value, { aliasDuplicateObjects: false });
}

function why(out: string): string {
  const { refusals } = JSON.parse(out) as { readonly refusals: readonly { readonly message: string }[] };
  return refusals.map(({ message }) => message).join("; ");
}
