import { parse, parseAllDocuments, stringify } from "yaml";
import type { Dice } from "../../../chaos/support/dice.ts";
import { pair, richManifests } from "../../../security/support/rich-manifests.ts";
import { type Json, isObject } from "../../../../../src/core/json.ts";
import type { KindName } from "../../../../../src/kinds/names.ts";
import { kinds } from "../../../../../src/kinds/registry.ts";
import { config, type Ground } from "../ground.ts";
import { oddGrammar, withOddBytes, withOddPlace, withOddPlaces, withOddText } from "../odd.ts";

const manifests = richManifests["edge/all.yaml"] ?? "";
const documents: readonly Json[] = parseAllDocuments(manifests).map((each) => each.toJS() as Json);

const reads: readonly (readonly string[])[] = [
  ["validate"],
  ["validate", "-o", "json"],
  ["validate", "-o", "sarif"],
  ["validate", "-o", "github", "--allow-inline-secrets"],
  ["graph", "-o", "json"],
  ["plan", "-o", "json"],
  ["plan", "-o", "html"],
  ["plan", "-o", "markdown", "-v"],
];

/** Deep values can't be written by the YAML library: JSON is YAML, too. */
function text(value: Json): string {
  try {
    return stringify(value, { aliasDuplicateObjects: false });
  } catch {
    return `${JSON.stringify(value)}\n`;
  }
}

const words = [
  "apiVersion: edgewise/v1\n",
  "kind: TLSEdge\n",
  "kind: HTTPResponseBackend\n",
  "metadata: {name: a}\n",
  "spec:\n",
  "  hostports: [a.example.com:443]\n",
  "  status_code: 200\n",
  "  webhook_verification: {provider: GITHUB, secret: {env: HOOK_SECRET}}\n",
  "  private_key_pem: {file: ../../outside/secret.txt}\n",
  "  certificate_pem: {file: link.pem}\n",
  "  body: {file: .hidden.yaml}\n",
  "  body: {file: ../../outside/secret.txt}\n",
];

/** Values at the edge of what a service takes, by member. */
const limits: { readonly [member: string]: (dice: Dice) => Json } = {
  metadata: (dice) =>
    dice.chance(0.5)
      ? "m".repeat(dice.between(3940, 4096))
      : { [dice.pick(["a", "edgewise2", "\u0000", "\u{1f600}"])]: "\u{1f600}".repeat(dice.between(980, 1024)) },
  description: (dice) => dice.pick(["", "d".repeat(dice.between(250, 256)), "\u{1f600}".repeat(64), null]),
  ip_policies: (dice) => dice.pick([[], [{ id: "ipp_1" }], [{ id: "ipp_1" }, { id: "ipp_2" }], null]),
  ip_restriction: (dice) => dice.pick([{}, { ip_policies: [] }, { enabled: false }, null]),
  mutual_tls: (dice) => dice.pick([{}, { certificate_authorities: [] }, { enabled: false }, null]),
  tls_termination: (dice) => dice.pick([{}, { terminate_at: "upstream" }, { min_version: null }, null]),
  traffic_policy: (dice) => dice.pick([{}, { value: "" }, { value: {} }, { enabled: false, value: "{}" }, null]),
  backend: (dice) => dice.pick([{}, { enabled: false }, { backend: { id: "bkd_1" } }, null]),
  hostports: (dice) => dice.pick([[], ["a.example.com:1"], ["A.example.com:65535", "*.b.example.com:443"]]),
  body: (dice) => dice.pick(["", "b".repeat(5000), null]),
  headers: (dice) => dice.pick([{}, { "X-A": "" }, null]),
  status_code: (dice) => dice.pick([100, 599, 204]),
  region: (dice) => dice.pick(["", "us", null]),
  endpoint_configuration: (dice) => dice.pick([{ id: "ec_1" }, null]),
};

/**
 * What validate accepts can be planned: it reports whatever a service may refuse, or leaves that to the service. A plan that
 * fails its rehearsal is a bug, and is reported like every other bug.
 */
export async function limitsRun(dice: Dice, ground: Ground): Promise<void> {
  const all = documents.map((document) => {
    if (!isObject(document) || !isObject(document["spec"])) return document;
    const kind = String(document["kind"]);
    const known = (member: string): boolean =>
      Object.keys((Object.hasOwn(kinds, kind) ? kinds[kind as KindName] : { fields: {} }).fields).includes(member);
    const changed = Object.entries(limits)
      .filter(([member]) => known(member) && dice.chance(0.3))
      .map(([member, value]) => [member, value(dice)] as const);
    return { ...document, spec: { ...document["spec"], ...Object.fromEntries(changed) } };
  });
  // One document after the other: a single mistake must not hide what the others would show.
  const kept: Json[] = [];
  for (const document of all) {
    ground.write("edge/all.yaml", [...kept, document].map(text).join("---\n"));
    if ((await ground.go(["validate"])).exit === 0) kept.push(document);
  }
  ground.write("edge/all.yaml", kept.map(text).join("---\n"));
  const { exit, out } = await ground.go(["plan", "-o", "json"]);
  if (out.includes("does-not-converge")) ground.report(`a valid manifest does not converge: ${out.slice(-2000)}`);
  if (exit === 1 && kept.length > 0) ground.report("what validate accepts can't be planned");
}

export async function manifestsRun(dice: Dice, ground: Ground): Promise<void> {
  const how = dice.between(0, 3);
  if (how === 0) {
    const struck = dice.between(0, documents.length - 1);
    const odd = dice.chance(0.6) ? withOddPlace : withOddPlaces;
    const all = documents.map((document, index) => (index === struck ? odd(document, dice) : document));
    ground.write("edge/all.yaml", all.map(text).join("---\n"));
  } else if (how === 1) ground.write("edge/all.yaml", withOddText(manifests, dice));
  else if (how === 2) ground.write("edge/all.yaml", oddGrammar(dice, words));
  else ground.write("edge/all.yaml", withOddBytes(manifests, dice));
  await ground.go(dice.pick(reads));
}

const rich = parse(`${config}guards: {maxDeletes: 25%, allow: [ReservedAddress/old]}
adopt: {TLSEdge/api: edgtls_1}
previousStacks: [edge]
environments: {staging: {stack: edge-staging, variables: {region: us}}}
`) as Json;

export async function configurationRun(dice: Dice, ground: Ground): Promise<void> {
  const how = dice.between(0, 2);
  if (how === 0) ground.write("edgewise.yaml", text(withOddPlaces(rich, dice)));
  else if (how === 1) ground.write("edgewise.yaml", withOddText(config, dice));
  else ground.write("edgewise.yaml", withOddBytes(text(rich), dice));
  const environment = dice.chance(0.3) ? ["-e", dice.pick(["staging", "none", "__proto__", ""])] : [];
  await ground.go([...dice.pick([...reads, ["ping", "-o", "json"], ["drift", "-o", "json"]]), ...environment]);
}

export async function certificatesRun(dice: Dice, ground: Ground): Promise<void> {
  const { certificate } = pair;
  const [, body = ""] = /-----BEGIN CERTIFICATE-----([^-]*)/u.exec(certificate) ?? [];
  const der = Buffer.from(body, "base64");
  for (let times = dice.between(1, 4); times > 0; times -= 1)
    der[dice.between(0, der.length - 1)] = dice.between(0, 255);
  const changed = `-----BEGIN CERTIFICATE-----\n${der.toString("base64")}\n-----END CERTIFICATE-----\n`;
  const pem = dice.pick([
    changed,
    certificate + changed,
    changed + certificate,
    withOddText(certificate, dice),
    certificate.repeat(dice.between(2, 120)),
    oddGrammar(dice, ["-----BEGIN CERTIFICATE-----\n", "-----END CERTIFICATE-----\n", body, pair.key]),
  ]);
  ground.write("edge/chain.pem", pem);
  const key = dice.chance(0.5) ? {} : { CERT_KEY: withOddText(pair.key, dice) };
  await ground.go(dice.pick(reads), key);
}
