import { setAt } from "../core/document-path.js";
import { type Json, type JsonObject, type Value, type ValueObject, isObject } from "../core/json.js";
import { MASK, Secret } from "../core/secret.js";
import { addrOf, hostportKey } from "../kinds/codecs/reference-codecs.js";
import type { Kind } from "../kinds/kind.js";
import { type Address, type ListedKind, forListedKinds, kindOf } from "../kinds/names.js";
import { specFromManifest } from "../kinds/normal-form.js";
import { kinds } from "../kinds/registry.js";
import type { Live, LiveModules } from "../live/live.js";
import type { Manifest } from "../manifest/manifest.js";
import { applyEffects, violationsOf } from "../model/effects.js";
import { countingEnv } from "../model/model-options.js";
import { respond } from "../model/respond.js";
import { listAll, worldFrom } from "../model/world-seed.js";
import type { World } from "../model/world.js";
import { pathOf } from "./build-operations.js";
import { referencesIn } from "./live-index.js";
import type { PlanOptions } from "./options.js";
import { type Ordered, findUnorderedPair } from "./order.js";
import type { Operation, Plan, Refusal } from "./plan-format.js";
import type { ResourceChange } from "./resource-change.js";

/** A plan to be rehearsed, and what it was made from. */
interface Rehearsal {
  readonly manifests: readonly Manifest[];
  readonly live: Live;
  readonly options: PlanOptions;
  readonly operations: readonly Operation[];
  readonly ordered: Ordered;
  /** Resources with a change. */
  readonly changed: readonly ResourceChange[];
  /** Addresses that are deleted although something refers to them, as allowed. */
  readonly dangling: ReadonlySet<string>;
  /** Makes a second plan from the same manifests. */
  readonly planAgain: (live: Live) => Plan;
}

/** What the plan records of its rehearsal, and the refusal when the rehearsal failed. */
interface RehearsalOutcome {
  readonly rehearsal: { readonly converges: boolean; readonly steps: number };
  readonly refusals: readonly Refusal[];
}

/** Runs a plan against the model and plans again: the second plan must be empty. */
export function rehearsePlan(rehearsal: Rehearsal): RehearsalOutcome {
  const { operations, ordered, planAgain } = rehearsal;
  if (operations.length === 0) return { rehearsal: { converges: true, steps: 0 }, refusals: [] };
  const unordered = findUnorderedPair(ordered);
  if (unordered !== null) return failed(0, unordered);
  const ran = runOnModel(rehearsal);
  if ("problem" in ran) return failed(ran.steps, ran.problem);
  const left = planAgain(ran.live).changes.map(
    ({ address, action, fields }) => `${action} ${address} (${fields.map((field) => field.path).join(", ")})`,
  );
  const steps = operations.length;
  if (left.length === 0) return { rehearsal: { converges: true, steps }, refusals: [] };
  const more = left.length > 5 ? ` and ${left.length - 5} more` : "";
  return failed(steps, `a second plan is not empty: ${left.slice(0, 5).join("; ")}${more}`);
}

function failed(steps: number, problem: string): RehearsalOutcome {
  const remedy =
    "this is most likely a bug in edgewise: please report it with the saved plan (plan --out; it holds no secrets) and the manifests concerned";
  const message = `the rehearsal of this plan failed: ${problem}`;
  return {
    rehearsal: { converges: false, steps },
    refusals: [{ code: "does-not-converge", message, remedy }],
  };
}

/**
 * Runs the operations against the model of the service, seeded from the live lists. No step may be refused, leave a
 * dangling reference or serve a hostport twice. It is as good as our model of the service.
 * @returns the lists afterwards, or the first problem, for people
 */
export function runOnModel(
  rehearsal: Omit<Rehearsal, "ordered" | "planAgain">,
): { readonly live: Live } | { readonly steps: number; readonly problem: string } {
  const { changed, dangling, live, manifests, operations, options } = rehearsal;
  const paths = modulePaths(manifests);
  const placeholders = placeholdersFor(changed, live);
  const world = seedWorld(live, { paths, placeholders, options });
  // What a reference to a resource that is deleted can name: its id or its hostport.
  const mayDangle = new Set(
    changed.flatMap(({ address, deleted }) =>
      (dangling.has(address) ? deleted : []).flatMap(({ kind, id, wire }) => {
        const addr = addrOf(kind, wire);
        return addr === null ? [id] : [id, hostportKey(addr)];
      }),
    ),
  );
  let addresses = 0;
  // Addresses that no service assigns, so that they can't collide with live ones.
  const newAddr = (region: string): string => `${++addresses}.rehearsal.${region}.invalid:1`;
  const env = { ...countingEnv({ label: "rehearsal" }), newAddr };
  const made = new Map<Address, Made>();
  for (const [steps, operation] of operations.entries()) {
    const fail = (problem: string) => {
      const { address, id, method, path } = operation;
      return { steps, problem: `${id} (${method} ${path}, ${address}) ${problem}` };
    };
    const owner = operation.pathBind === undefined ? undefined : made.get(operation.pathBind.address);
    const path = operation.path.replace("{id}", owner?.id ?? "{id}");
    const body = boundBody(operation, made);
    const request = { method: operation.method, path, ...(body === null ? {} : { body }) };
    const { response, effects } = respond(world, request, env);
    const answer = isObject(response.body) ? response.body : {};
    if (response.status >= 300) {
      const message = typeof answer["msg"] === "string" ? `: ${answer["msg"]}` : "";
      return fail(`was answered ${response.status}${message}`);
    }
    applyEffects(world, effects);
    const broken = violationsOf(world, effects).find((violation) => !mayDangle.has(violation.target));
    if (broken !== undefined) return fail(`breaks something: ${broken.message}`);
    if (operation.kind === "create" && typeof answer["id"] === "string")
      made.set(operation.address, { id: answer["id"], addr: addrOf(kinds[kindOf(operation.address)], answer) });
  }
  const lists = listAll(world);
  const after = forListedKinds((kind) =>
    lists[kind].filter(({ id }) => !placeholders[kind].includes(String(id))).map(withoutMasks),
  );
  return { live: { ...live, lists: after, modules: live.modules.map((entry) => modulesAfter(world, entry, paths)) } };
}

/** What a create returned. */
interface Made {
  readonly id: string;
  readonly addr: Json;
}

/** The body with ids and addrs of what was made before; a mask stands for every secret. */
function boundBody({ bind, body }: Operation, made: ReadonlyMap<Address, Made>): Json {
  let bound: Value = body;
  for (const [pointer, binding] of Object.entries(bind)) {
    const part = "secret" in binding ? MASK : made.get(binding.address)?.[binding.part];
    bound = setAt(bound, pointer, part ?? null);
  }
  return bound as Json;
}

/** By `kind@id`, the paths of HTTPS edges and routes, as their manifests give them. */
type ModulePaths = ReadonlyMap<string, string>;

function modulePaths(manifests: readonly Manifest[]): ModulePaths {
  return new Map(
    manifests.flatMap(({ id, kind: name, spec }): [string, string][] => {
      const kind: Kind = kinds[name];
      if (kind.collection !== null || id === null) return [];
      return [[`${name}@${id}`, pathOf(kind, id, specFromManifest(kind, spec))]];
    }),
  );
}

/** The ids that changes refer to literally and that no list shows: they are taken as existing. */
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

interface Seed {
  readonly paths: ModulePaths;
  readonly placeholders: Placeholders;
  readonly options: Pick<PlanOptions, "moduleEndpoints">;
}

function seedWorld(live: Live, { paths, placeholders, options: { moduleEndpoints } }: Seed): World {
  const modules = live.modules.flatMap((entry) => {
    const path = paths.get(`${entry.kind}@${entry.id}`);
    return Object.entries(path === undefined ? {} : entry.modules).map(([name, value]) => {
      return [`${path}/${name}`, value === null ? null : masked(value)] as const;
    });
  });
  const lists = forListedKinds((kind) => [
    ...live.lists[kind],
    ...placeholders[kind].map((id): JsonObject => ({ id })),
  ]);
  return worldFrom({ lists, modules: Object.fromEntries(modules) }, { moduleEndpoints });
}

/** Secrets don't enter the model: a mask stands for each of them, and what comes back can't be compared. */
function masked(value: ValueObject): JsonObject {
  const members = Object.entries(value);
  return Object.fromEntries(
    members.map(([name, member]) => [name, member instanceof Secret ? MASK : (member as Json)]),
  );
}

const uncompared = Secret.unavailable("rehearsal", "not compared in a rehearsal");

/** A listed resource with the masks that were sent to its modules replaced. */
function withoutMasks(wire: JsonObject): JsonObject {
  const entries = Object.entries(wire);
  if (!entries.some(([, module]) => isObject(module) && Object.values(module).includes(MASK))) return wire;
  // As the client gives it: JSON with secrets wrapped.
  return Object.fromEntries(
    entries.map(([name, module]) => [name, isObject(module) ? unmasked(module) : module]),
  ) as JsonObject;
}

function unmasked(module: { readonly [member: string]: unknown }): object {
  return Object.fromEntries(
    Object.entries(module).map(([member, value]) => [member, value === MASK ? uncompared : value]),
  );
}

function modulesAfter(world: World, entry: LiveModules, paths: ModulePaths): LiveModules {
  const path = paths.get(`${entry.kind}@${entry.id}`) ?? "";
  const modules = Object.keys(entry.modules).map((name) => {
    const module = world.modules.get(`${path}/${name}`);
    const members = kinds[entry.kind].fields[name]?.module?.members ?? {};
    const wrapped = Object.entries(module ?? {}).map(([member, value]): [string, Value] => {
      const isSecret = members[member]?.secret === true && typeof value === "string" && value !== "";
      return [member, isSecret || value === MASK ? uncompared : (value ?? null)];
    });
    return [name, module === undefined ? null : Object.fromEntries(wrapped)] as const;
  });
  return { ...entry, modules: Object.fromEntries(modules) };
}
