import fc from "fast-check";
import type { Value } from "../../../../src/core/json.ts";
import type { Manifest } from "../../../../src/manifest/manifest.ts";
import type { PlanOptions } from "../../../../src/plan/plan-context.ts";
import { Secret } from "../../../../src/core/secret.ts";
import { defaults, manifest } from "../../../plan/support/account.ts";
import { allow, manifestsOf, worlds } from "../../../support/worlds.ts";
import type { Dice } from "./dice.ts";

/** A secret that must not appear anywhere. It is full of characters that encodings change. */
export const secrets = {
  apiKey: "ak_C4n4ry/7+9==~Lk&<x>'%41z",
  privateKey: "-----BEGIN PRIVATE KEY-----\nC4n4ryKey/abcdef+0123456789ABCDEF==\n-----END PRIVATE KEY-----\n",
  webhook: 'whsec "C4n4ry/hook"+&<é>\\ 77',
};

/** Allows everything that the random manifests need; guards have their own tests. */
export const permissive: PlanOptions = {
  ...defaults,
  stack: "chaos",
  baseUrl: "http://service.example",
  allow,
  maxDeletes: { count: 1000 },
  allowEmpty: true,
};

export function someDesired(dice: Dice): readonly Manifest[] {
  const [world] = fc.sample(worlds, { seed: dice.between(0, 2 ** 31 - 1), numRuns: 1 });
  if (world === undefined) throw new Error("no sample");
  const listed = manifestsOf(world, Secret.of(secrets.privateKey, "env KEY"));
  return [...listed.map((one) => varied(one, dice)), ...someModules(dice)];
}

function varied(one: Manifest, dice: Dice): Manifest {
  if (one.kind === "IPRestriction" && dice.chance(0.2))
    return { ...one, lifecycle: { ignore: [], deletion: "orphan" } };
  if (one.kind === "HTTPResponseBackend" || dice.chance(0.6)) return one;
  const metadata: Value = dice.pick(["", "plain text", { owner: "payments" }, { owner: "edge", list: [1, 2] }]);
  return { ...one, spec: { ...one.spec, metadata } };
}

function someModules(dice: Dice): readonly Manifest[] {
  const route = (name: string, id: string): Manifest => {
    const provider = dice.pick(["GITHUB", "SLACK"]);
    const hook = { provider, secret: Secret.of(secrets.webhook, "env HOOK") };
    const policy = { value: { on_http_request: [{ actions: [{ type: dice.pick(["deny", "log"]) }] }] } };
    const spec = {
      edge: { id: "edghts_1" },
      webhook_verification: dice.pick([hook, null]),
      ...(dice.chance(0.5) ? { traffic_policy: dice.pick([policy, null]) } : {}),
    };
    return manifest("HTTPSEdgeRoute", name, spec, { id });
  };
  const edge = (): Manifest => {
    const termination = { min_version: dice.pick(["1.2", "1.3"]) };
    return manifest("HTTPSEdge", "site", { tls_termination: dice.pick([termination, null]) }, { id: "edghts_1" });
  };
  return [
    ...(dice.chance(0.3) ? [route("hooks", "edghtr_1")] : []),
    ...(dice.chance(0.2) ? [route("more", "edghtr_2")] : []),
    ...(dice.chance(0.3) ? [edge()] : []),
  ];
}
