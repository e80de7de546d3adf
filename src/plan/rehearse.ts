import { type Json, type JsonObject, type Value, type ValueObject, isObject, setAt } from "../core/json.js";
import { addrOf, hostportKey } from "../kinds/codecs/reference-codecs.js";
import type { Kind } from "../kinds/kind.js";
import { type Address, type ListedKind, forListedKinds, kindOf, listedKinds } from "../kinds/names.js";
import { specFromManifest } from "../kinds/normal-form.js";
import { kinds } from "../kinds/registry.js";
import type { Live, LiveModules } from "../live/live.js";
import type { Manifest } from "../manifest/manifest.js";
import { applyEffects, violationsOf } from "../model/effects.js";
import { countingEnv } from "../model/model-options.js";
import { respond } from "../model/respond.js";
import { listAll, worldFrom } from "../model/world-seed.js";
import type { World } from "../model/world.js";
import { MASK, Secret } from "../core/secret.js";
import { pathOf } from "./build-operations.js";
import { type LiveResource, eachReference } from "./live-index.js";
import type { PlanOptions } from "./options.js";
import { type Ordered, findUnorderedPair } from "./order.js";
import type { Operation, Plan, Refusal } from "./plan-format.js";
import type { ResourceChange } from "./resource-change.js";

/** A plan to be rehearsed, and what it was made from. */
interface Rehearsal {
  readonly desired: readonly Manifest[];
  readonly live: Live;
  readonly options: PlanOptions;
  readonly operations: readonly Operation[];
  readonly needs: RehearsalNeeds;
  /** Makes a second plan from the same manifests. */
  readonly planAgain: (live: Live) => Plan;
}

/** What a rehearsal needs to know beside the operations. */
export interface RehearsalNeeds {
  /** Two operations that touch the same thing although no wait orders them, for people; null when there are none. */
  readonly unordered: string | null;
  readonly placeholders: Placeholders;
  readonly mayDangle: ReadonlySet<string>;
}

/** By kind, the ids that manifests refer to literally. Those that no list shows are taken as existing. */
type Placeholders = ReadonlyMap<ListedKind, ReadonlySet<string>>;

/**
 * @param changed resources with a change
 * @param dangling addresses that are deleted although something refers to them, as allowed
 */
export function rehearsalNeeds(
  ordered: Ordered,
  changed: readonly ResourceChange[],
  dangling: ReadonlySet<string>,
): RehearsalNeeds {
  return {
    unordered: findUnorderedPair(ordered),
    placeholders: literalIds(changed),
    mayDangle: new Set(
      changed.flatMap(({ address, deleted }) => (dangling.has(address) ? deleted.flatMap(targetsIn) : [])),
    ),
  };
}

/** What a reference to a live resource can name: its id or its hostport. */
function targetsIn({ kind, id, wire }: LiveResource): readonly string[] {
  const addr = addrOf(kind, wire);
  return addr === null ? [id] : [id, hostportKey(addr)];
}

/** What the plan records of its rehearsal, and the refusal when the rehearsal failed. */
interface RehearsalOutcome {
  readonly rehearsal: { readonly converges: boolean; readonly steps: number };
  readonly refusal: Refusal | null;
}

/** Runs a plan against the model and plans again: the second plan must be empty. */
export function rehearsePlan(rehearsal: Rehearsal): RehearsalOutcome {
  const { desired, live, options, operations, needs } = rehearsal;
  if (operations.length === 0) return { rehearsal: { converges: true, steps: 0 }, refusal: null };
  if (needs.unordered !== null) return failed(0, needs.unordered);
  const {
    steps,
    live: after,
    problem,
  } = runOnModel({
    live,
    operations,
    moduleEndpoints: options.moduleEndpoints,
    modulePaths: modulePaths(desired),
    placeholders: needs.placeholders,
    mayDangle: needs.mayDangle,
  });
  if (problem !== null) return failed(steps, problem);
  const rest = rehearsal.planAgain(after);
  if (rest.changes.length === 0) return { rehearsal: { converges: true, steps }, refusal: null };
  const left = rest.changes.map(
    ({ address, action, fields }) => `${action} ${address} (${fields.map((field) => field.path).join(", ")})`,
  );
  return failed(
    steps,
    `a second plan is not empty: ${left.slice(0, 5).join("; ")}${left.length > 5 ? ` and ${left.length - 5} more` : ""}`,
  );
}

function failed(steps: number, problem: string): RehearsalOutcome {
  return {
    rehearsal: { converges: false, steps },
    refusal: {
      code: "does-not-converge",
      message: `the rehearsal of this plan failed: ${problem}`,
      remedy:
        "this is most likely a bug in edgewise: please report it with the saved plan (plan --out; it holds no secrets) and the manifests concerned",
    },
  };
}

function modulePaths(desired: readonly Manifest[]): ReadonlyMap<string, string> {
  const paths = new Map<string, string>();
  for (const manifest of desired) {
    const kind: Kind = kinds[manifest.kind];
    if (kind.collection !== null || manifest.id === null) continue;
    paths.set(`${manifest.kind}@${manifest.id}`, pathOf(kind, manifest.id, specFromManifest(kind, manifest.spec)));
  }
  return paths;
}

function literalIds(works: readonly ResourceChange[]): Placeholders {
  const ids = new Map<ListedKind, Set<string>>();
  for (const { kind, result, change } of works) {
    if (result === null || change === null) continue;
    eachReference(kind, result.spec, ({ kind: referred, target }) => {
      const listed = listedKinds.find((each) => each === referred);
      if (listed === undefined || !("id" in target)) return;
      const known = ids.get(listed);
      if (known === undefined) ids.set(listed, new Set([target.id]));
      else known.add(target.id);
    });
  }
  return ids;
}

/** The state after a rehearsal, or the first problem, for people. */
type ModelOutcome =
  | { readonly steps: number; readonly live: Live; readonly problem: null }
  | { readonly steps: number; readonly live: null; readonly problem: string };

interface ModelRun {
  readonly live: Live;
  readonly operations: readonly Operation[];
  readonly moduleEndpoints: readonly string[];
  /** Paths of HTTPS edges and routes by instance key `kind@id`, as their manifests give them. */
  readonly modulePaths: ReadonlyMap<string, string>;
  readonly placeholders: Placeholders;
  /** Ids that are deleted although something refers to them, as allowed: dangling references to these are expected. */
  readonly mayDangle: ReadonlySet<string>;
}

/**
 * Runs the operations against the model of the service, seeded from the live lists. No step may be refused, leave a
 * dangling reference or serve a hostport twice. It is as good as our model of the service. Linear in lists and steps.
 */
function runOnModel(input: ModelRun): ModelOutcome {
  const world = seedWorld(input);
  let addresses = 0;
  // Addresses that no service assigns, so that they can't collide with live ones.
  const newAddr = (region: string): string => `${++addresses}.rehearsal.${region}.invalid:1`;
  const env = { ...countingEnv({ label: "rehearsal" }), newAddr };
  const made = new Map<Address, { readonly id: string; readonly addr: Json }>();
  for (const [index, operation] of input.operations.entries()) {
    const fail = (problem: string): ModelOutcome => ({
      steps: index,
      live: null,
      problem: `${operation.id} (${operation.method} ${operation.path}, ${operation.address}) ${problem}`,
    });
    const owner = operation.pathBind === undefined ? undefined : made.get(operation.pathBind.address);
    const path = operation.path.replace("{id}", owner?.id ?? "{id}");
    const body = boundBody(operation, made);
    const { response, effects } = respond(
      world,
      { method: operation.method, path, ...(body === null ? {} : { body }) },
      env,
    );
    if (response.status >= 300) {
      const message =
        isObject(response.body) && typeof response.body["msg"] === "string" ? `: ${response.body["msg"]}` : "";
      return fail(`was answered ${response.status}${message}`);
    }
    applyEffects(world, effects);
    const [broken] = violationsOf(world, effects).filter((violation) => !input.mayDangle.has(violation.target));
    if (broken !== undefined) return fail(`breaks something: ${broken.message}`);
    if (operation.kind === "create" && isObject(response.body) && typeof response.body["id"] === "string") {
      made.set(operation.address, {
        id: response.body["id"],
        addr: addrOf(kinds[kindOf(operation.address)], response.body),
      });
    }
  }
  return { steps: input.operations.length, live: liveOf(world, input), problem: null };
}

/** The body with ids and addrs of what was made before; a mask stands for every secret. */
function boundBody(
  operation: Operation,
  made: ReadonlyMap<Address, { readonly id: string; readonly addr: Json }>,
): Json {
  let body: Value = operation.body;
  for (const [pointer, binding] of Object.entries(operation.bind)) {
    const found = "secret" in binding ? undefined : made.get(binding.address);
    const part = "secret" in binding ? MASK : binding.part === "id" ? found?.id : found?.addr;
    body = setAt(body, pointer, part ?? null);
  }
  return body as Json;
}

function seedWorld({ live, moduleEndpoints, modulePaths, placeholders }: ModelRun): World {
  const modules: Record<string, { readonly [member: string]: Json } | null> = {};
  for (const entry of live.modules) {
    const path = modulePaths.get(`${entry.kind}@${entry.id}`);
    for (const [name, value] of Object.entries(entry.modules)) {
      if (path !== undefined) modules[`${path}/${name}`] = value === null ? null : unwrapped(value);
    }
  }
  const lists = forListedKinds((kind) => [
    ...live.lists[kind],
    ...missingIds(live, kind, placeholders).map((id): JsonObject => ({ id })),
  ]);
  return worldFrom({ lists, modules }, { moduleEndpoints });
}

/** The placeholders of a kind that its live list doesn't show. */
function missingIds(live: Live, kind: ListedKind, placeholders: Placeholders): readonly string[] {
  const ids = placeholders.get(kind);
  if (ids === undefined) return [];
  const known = new Set(live.lists[kind].map((wire) => wire["id"]));
  return [...ids].filter((id) => !known.has(id));
}

function liveOf(world: World, { live, modulePaths, operations, placeholders }: ModelRun): Live {
  const modules = live.modules.map((entry): LiveModules => {
    const path = modulePaths.get(`${entry.kind}@${entry.id}`) ?? "";
    const names = Object.keys(entry.modules);
    const found = names.map((name) => {
      const module = world.modules.get(`${path}/${name}`);
      return [name, module === undefined ? null : wrapped(entry, name, module)] as const;
    });
    return { ...entry, modules: Object.fromEntries(found) };
  });
  const after = withoutMasks(listAll(world), operations);
  const lists = forListedKinds((kind) => {
    const missing: ReadonlySet<unknown> = new Set(missingIds(live, kind, placeholders));
    return missing.size === 0 ? after[kind] : after[kind].filter(({ id }) => !missing.has(id));
  });
  return { ...live, lists, modules };
}

const uncompared = Secret.unavailable("rehearsal", "not compared in a rehearsal");

/** The lists with the masks that were sent to modules replaced by secrets that can't be compared. */
function withoutMasks(lists: Live["lists"], operations: readonly Operation[]): Live["lists"] {
  const sent = operations.flatMap(({ address, bind }) =>
    Object.values(bind).some((binding) => "secret" in binding) ? [kindOf(address)] : [],
  );
  const concerned = new Set<string>(sent);
  if (concerned.size === 0) return lists;
  const read = Object.entries(lists).map(([kind, wires]: [string, readonly JsonObject[]]) => [
    kind,
    concerned.has(kind) ? wires.map(withoutMask) : wires,
  ]);
  return Object.fromEntries(read) as Live["lists"]; // The same kinds.
}

function withoutMask(wire: JsonObject): JsonObject {
  let result: ValueObject = wire;
  for (const [name, module] of Object.entries(wire)) {
    if (!isObject(module)) continue;
    for (const member of Object.keys(module)) {
      if (module[member] !== MASK) continue;
      result = { ...result, [name]: { ...(result[name] as ValueObject), [member]: uncompared } };
    }
  }
  return result as JsonObject; // As the client gives it: JSON with secrets wrapped.
}

/** Secrets don't enter the model: a mask stands for each of them, and what comes back can't be compared. */
function unwrapped(value: ValueObject): { readonly [member: string]: Json } {
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, member instanceof Secret ? MASK : (member as Json)]),
  );
}

function wrapped(
  entry: LiveModules,
  name: string,
  module: { readonly [member: string]: Json | undefined },
): ValueObject {
  const members = kinds[entry.kind].fields[name]?.module?.members ?? {};
  return Object.fromEntries(
    Object.entries(module).map(([member, value]): [string, Value] => {
      const secret = members[member]?.secret === true && typeof value === "string" && value !== "";
      return [member, secret || value === MASK ? uncompared : (value ?? null)];
    }),
  );
}
