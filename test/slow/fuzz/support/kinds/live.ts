import { type Json, isObject } from "../../../../../src/core/json.ts";
import type { WorldSeed } from "../../../../../src/model/world-seed.ts";
import { hashPlan, type Plan } from "../../../../../src/plan/plan-format.ts";
import type { Dice } from "../../../chaos/support/dice.ts";
import { richManifests } from "../../../security/support/rich-manifests.ts";
import type { Ground } from "../ground.ts";
import { oddValue, withOddBytes, withOddPlaces } from "../odd.ts";
import type { Twist } from "../service.ts";

const applied = new WeakMap<Ground, WorldSeed>();

async function appliedTo(ground: Ground): Promise<WorldSeed> {
  let seed = applied.get(ground);
  if (seed === undefined) {
    const { exit, err } = await ground.go(["apply", "-y"]);
    if (exit !== 0) throw new Error(`the manifests of the fuzzer can't be applied: ${err}`);
    seed = ground.service.snapshot();
    applied.set(ground, seed);
  }
  return seed;
}

const commands: readonly (readonly string[])[] = [
  ["plan", "-o", "json"],
  ["plan", "-o", "text"],
  ["plan", "-o", "html"],
  ["drift", "-o", "json", "--unmanaged", "--expires-within", "30d"],
  ["drift", "-o", "markdown"],
  ["drift", "-o", "junit"],
  ["export", "--all"],
  ["export", "--all", "-o", "json"],
  ["ping", "-o", "json"],
  ["apply", "-y", "-o", "json"],
  ["destroy", "-y", "-o", "json"],
  ["list", "-o", "json"],
  ["list", "-o", "text"],
  ["pull", "-y", "-o", "json"],
  ["unlock", "-y"],
];

function withPaging(body: Json, path: string, dice: Dice, count: number): Json {
  const next = dice.pick<Json>([
    path,
    `${path}?page=${count}`,
    "https://elsewhere.example.com/",
    "//x",
    "",
    5,
    `${path}/../..`,
  ]);
  return isObject(body) ? { ...(body as { readonly [name: string]: Json }), next_page_uri: next } : body;
}

export async function answersRun(dice: Dice, ground: Ground): Promise<void> {
  const seed = await appliedTo(ground);
  const struck = dice.pick([
    "/ip_restrictions",
    "/edges/tls",
    "/reserved_addrs",
    "/backends/http_response",
    "/tls_certificates",
    "/webhook_verification",
    "/traffic_policy",
    "",
  ]);
  const how = dice.between(0, 9);
  let count = 0;
  const twist: Twist = (path, right) => {
    const plain = { status: right === null ? 204 : 200, body: right === null ? "" : JSON.stringify(right) };
    if (!path.endsWith(struck)) return plain;
    count += 1;
    if (how <= 5) return { status: 200, body: JSON.stringify(withOddPlaces(right, dice)) };
    if (how === 6) return { status: 200, body: JSON.stringify(withPaging(right, path, dice, count)) };
    if (how === 7) return { status: 200, body: withOddBytes(plain.body, dice).toString("latin1") };
    if (how === 8) return { status: 200, body: JSON.stringify(oddValue(dice)) };
    return {
      status: dice.pick([201, 204, 206, 304, 400, 401, 403, 404, 410, 418, 501]),
      body: JSON.stringify(oddValue(dice)),
    };
  };
  ground.service.begin(seed, twist);
  // `pull` rewrites it.
  ground.write("edge/all.yaml", richManifests["edge/all.yaml"] ?? "");
  await ground.go(dice.pick(commands), {}, 1500);
}

const plans = new WeakMap<Ground, Json>();

export async function plansRun(dice: Dice, ground: Ground): Promise<void> {
  let plan = plans.get(ground);
  if (plan === undefined) {
    const { out } = await ground.go(["plan", "-o", "json"]);
    plan = JSON.parse(out) as Json;
    plans.set(ground, plan);
  }
  if (dice.chance(0.2)) ground.write("plan.json", withOddBytes(JSON.stringify(plan), dice));
  else {
    const odd = withOddPlaces(plan, dice);
    const hashed = dice.chance(0.8) ? rehashed(odd) : odd;
    ground.write("plan.json", JSON.stringify(hashed));
  }
  const format = dice.pick(["text", "json", "markdown", "html", "github"]);
  await ground.go(dice.chance(0.8) ? ["show", "plan.json", "-o", format] : ["apply", "plan.json", "-y", "-o", "json"]);
}

/** With the hash that it should have, if one can be made of it. */
function rehashed(plan: Json): Json {
  try {
    // Only to be hashed.
    return { ...(plan as { readonly [name: string]: Json }), hash: hashPlan(plan as unknown as Plan) };
  } catch {
    return plan;
  }
}

const names =
  "validate plan apply drift show export destroy graph schema explain ping list unlock stacks serve approve version completion help".split(
    " ",
  );

const vocabulary: readonly string[] = [
  ...names,
  ..."-o json text html -f edge/all.yaml -e staging --stack demo --var v=1 --var x --only TLSEdge/api -l team=a".split(
    " ",
  ),
  ..."--allow x/y --max-deletes 5% -1 --allow-empty --take-over --no-prune --fail-on security -q -v -- -".split(" "),
  ..."--detailed-exitcode --base HEAD --help --no-color --log-format json --output-file out.txt TLSEdge bash".split(
    " ",
  ),
  ..."--server http://127.0.0.1:1 --state state --once --check --listen 127.0.0.1:0 --owned --changed-since fleet.yaml".split(
    " ",
  ),
  ..."TLSEdge.spec spec..a __proto__ --concurrency 0 --unmanaged --expires-within 1e9d -y".split(" "),
  "",
  "\u0000",
  "\u001b[31m",
  "é".repeat(200),
  "a".repeat(10_000),
];

export async function commandsRun(dice: Dice, ground: Ground): Promise<void> {
  const args = Array.from({ length: dice.between(1, 8) }, () => dice.pick(vocabulary));
  await ground.go(dice.chance(0.7) ? [dice.pick(names), ...args] : args);
}
