import { setAt } from "../core/document-path.js";
import { type Json, type JsonObject, type Value, type ValueObject, isObject } from "../core/json.js";
import { MASK, Secret } from "../core/secret.js";
import { addrOf, hostportKey } from "../kinds/codecs/reference-codecs.js";
import { listFew } from "../core/text.js";
import { type Address, type ListedKind, forListedKinds, kindOf } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import type { Live, LiveModules } from "../live/live.js";
import { applyEffects, violationsOf } from "../model/effects.js";
import { countingEnv } from "../model/model-options.js";
import { respond } from "../model/respond.js";
import { listAll, worldFrom } from "../model/world-seed.js";
import type { World } from "../model/world.js";
import { referencesIn } from "./live-index.js";
import type { PlanOptions } from "./plan-context.js";
import { type Ordered, findUnorderedPair } from "./order.js";
import type { Operation, Plan, Refusal } from "./plan-format.js";
import type { ResourceChange } from "./resource-change.js";

interface Rehearsal {
  readonly live: Live;
  readonly options: Pick<PlanOptions, "moduleEndpoints">;
  readonly operations: readonly Operation[];
  readonly changed: readonly ResourceChange[];
  /** Deleted although something refers to them, as allowed. */
  readonly dangling: ReadonlySet<string>;
}

/** The second plan must be empty. */
export function rehearsePlan(
  rehearsal: Rehearsal,
  ordered: Ordered,
  planAgain: (live: Live) => Plan,
): { readonly rehearsal: Plan["rehearsal"]; readonly refusals: readonly Refusal[] } {
  const steps = rehearsal.operations.length;
  if (steps === 0) return { rehearsal: { converges: true, steps }, refusals: [] };
  const unordered = findUnorderedPair(ordered);
  if (unordered !== null) return failed(0, unordered);
  const ran = runOnModel(rehearsal);
  if ("problem" in ran) return failed(ran.steps, ran.problem);
  const left = planAgain(ran.live).changes.map(
    ({ address, action, fields }) => `${action} ${address} (${fields.map((field) => field.path).join(", ")})`,
  );
  if (left.length > 0) return failed(steps, `a second plan is not empty: ${listFew(left, 5)}`);
  return { rehearsal: { converges: true, steps }, refusals: [] };
}

function failed(steps: number, problem: string) {
  const remedy =
    "look whether something live contradicts the manifests (edgewise list), and put that right; otherwise it is a bug: please report it with the saved plan (plan --out; it holds no secrets)";
  const message = `the rehearsal of this plan failed: ${problem}`;
  return {
    rehearsal: { converges: false, steps },
    refusals: [{ code: "does-not-converge", message, remedy } as const],
  };
}

/** No step may be refused, leave a reference dangling or serve a hostport twice. @returns the lists afterwards. */
export function runOnModel(
  { changed, dangling, live, operations, options }: Rehearsal,
  label = "rehearsal",
): { readonly live: Live } | { readonly steps: number; readonly problem: string } {
  const placeholders = placeholdersFor(changed, live);
  const world = seedWorld(live, placeholders, options);
  const mayDangle = new Set(
    changed.flatMap(({ address, deleted }) =>
      (dangling.has(address) ? deleted : []).flatMap(({ kind, id, wire }) => {
        const addr = addrOf(kind, wire);
        return addr === null ? [id] : [id, hostportKey(addr)];
      }),
    ),
  );
  let addresses = 0;
  // No service assigns such an address.
  const newAddr = (region: string): string => `${++addresses}.${label}.${region}.invalid:1`;
  const env = { ...countingEnv({ label }), newAddr };
  const made = new Map<Address, Made>();
  for (const [steps, operation] of operations.entries()) {
    const { address, id, kind, method, pathBind } = operation;
    const fail = (problem: string) => ({
      steps,
      problem: `${id} (${method} ${operation.path}, ${address}) ${problem}`,
    });
    const owner = pathBind === undefined ? undefined : made.get(pathBind.address);
    const path = operation.path.replace("{id}", owner?.id ?? "{id}");
    const body = boundBody(operation, made);
    const { response, effects } = respond(world, { method, path, ...(body === null ? {} : { body }) }, env);
    const answer = isObject(response.body) ? response.body : {};
    if (response.status >= 300) {
      const message = typeof answer["msg"] === "string" ? `: ${answer["msg"]}` : "";
      return fail(`was answered ${response.status}${message}`);
    }
    applyEffects(world, effects);
    const broken = violationsOf(world, effects).find((violation) => !mayDangle.has(violation.target));
    if (broken !== undefined) return fail(`breaks something: ${broken.message}`);
    if (kind === "create" && typeof answer["id"] === "string")
      made.set(address, { id: answer["id"], addr: addrOf(kinds[kindOf(address)], answer) });
  }
  const lists = listAll(world);
  const after = forListedKinds((kind) =>
    lists[kind].filter(({ id }) => !placeholders[kind].includes(String(id))).map(withoutMasks),
  );
  return { live: { ...live, lists: after, modules: live.modules.map((entry) => modulesAfter(world, entry)) } };
}

interface Made {
  readonly id: string;
  readonly addr: Json;
}

function boundBody({ bind, body }: Operation, made: ReadonlyMap<Address, Made>): Json {
  let bound: Value = body;
  for (const [pointer, binding] of Object.entries(bind)) {
    const part = "secret" in binding ? MASK : made.get(binding.address)?.[binding.part];
    bound = setAt(bound, pointer, part ?? null);
  }
  return bound as Json;
}

/** Ids that changes refer to literally and that no list shows: they are taken as existing. */
type Placeholders = { readonly [K in ListedKind]: readonly string[] };

function placeholdersFor(changed: readonly ResourceChange[], live: Live): Placeholders {
  const named = changed.flatMap(({ kind, result }) => (result === null ? [] : referencesIn(kind, result.spec)));
  return forListedKinds((kind) => {
    const known = new Set(live.lists[kind].map(({ id }) => id));
    const ids = named.flatMap(({ reference: { kind: referred, target } }) =>
      referred === kind && "id" in target && !known.has(target.id) ? [target.id] : [],
    );
    return [...new Set(ids)];
  });
}

function seedWorld(live: Live, placeholders: Placeholders, { moduleEndpoints }: Rehearsal["options"]): World {
  const modules = live.modules.flatMap(({ modules: read, path }) =>
    Object.entries(read).map(([name, value]) => [`${path}/${name}`, value === null ? null : masked(value)] as const),
  );
  const lists = forListedKinds((kind) => [
    ...live.lists[kind],
    ...placeholders[kind].map((id): JsonObject => ({ id })),
  ]);
  return worldFrom({ lists, modules: Object.fromEntries(modules) }, { moduleEndpoints });
}

/** Secrets don't enter the model: what comes back can't be compared. */
function masked(value: ValueObject): JsonObject {
  const members = Object.entries(value).map(([name, member]) => [name, member instanceof Secret ? MASK : member]);
  return Object.fromEntries(members) as JsonObject;
}

const uncompared = Secret.unavailable("rehearsal", "not compared in a rehearsal");

function withoutMasks(wire: JsonObject): JsonObject {
  const modules = Object.entries(wire).flatMap(([name, module]) => {
    if (!isObject(module) || !Object.values(module).includes(MASK)) return [];
    const members = Object.entries(module).map(([member, value]) => [member, value === MASK ? uncompared : value]);
    return [[name, Object.fromEntries(members)]];
  });
  return modules.length === 0 ? wire : ({ ...wire, ...Object.fromEntries(modules) } as JsonObject);
}

function modulesAfter(world: World, entry: LiveModules): LiveModules {
  const modules = Object.keys(entry.modules).map((name) => {
    const module = world.modules.get(`${entry.path}/${name}`);
    const members = kinds[entry.kind].fields[name]?.module?.members ?? {};
    const wrapped = Object.entries(module ?? {}).map(([member, value]): [string, Value] => {
      const isSecret = members[member]?.secret === true && typeof value === "string" && value !== "";
      return [member, isSecret || value === MASK ? uncompared : (value ?? null)];
    });
    return [name, module === undefined ? null : Object.fromEntries(wrapped)] as const;
  });
  return { ...entry, modules: Object.fromEntries(modules) };
}
