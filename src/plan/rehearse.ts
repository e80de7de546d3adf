import { setAt } from "../core/document-path.js";
import { type Json, type JsonObject, type Value, isObject } from "../core/json.js";
import { MASK, Secret } from "../core/secret.js";
import { addrOf, hostportKey } from "../kinds/codecs.js";
import { listFew } from "../core/text.js";
import { type Address, forListedKinds, kindOf } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import type { Live } from "../live/live.js";
import type { Manifest } from "../manifest/manifest.js";
import { applyEffects, violationsOf } from "../model/effects.js";
import { countingEnv } from "../model/model-options.js";
import { respond } from "../model/respond.js";
import { listAll, worldFrom } from "../model/world-seed.js";
import { referencesIn } from "./live-index.js";
import type { PlanOptions } from "./plan-context.js";
import { type Ordered, findUnorderedPair } from "./order.js";
import type { Operation, Plan, Refusal } from "./plan-format.js";
import { secretResolver } from "./plan-secrets.js";
import type { ResourceChange } from "./build-change.js";

type Rehearsal = Readonly<{
  live: Live;
  options: Pick<PlanOptions, "moduleEndpoints">;
  operations: readonly Operation[];
  manifests: readonly Manifest[];
  changed: readonly ResourceChange[];
  dangling: ReadonlySet<string>;
}>;

export function rehearsePlan(
  rehearsal: Rehearsal,
  ordered: Ordered,
  planAgain: (live: Live) => Plan,
): Readonly<{ rehearsal: Plan["rehearsal"]; refusals: readonly Refusal[] }> {
  const steps = rehearsal.operations.length;
  if (steps === 0) return { rehearsal: { converges: true, steps }, refusals: [] };
  const unordered = findUnorderedPair(ordered);
  if (unordered !== null) return failed(0, unordered);
  const ran = runOnModel(rehearsal);
  if ("problem" in ran) return failed(ran.steps, ran.problem, ran.address);
  const left = planAgain(ran.live).changes.map(
    ({ address, action, fields }) => `${action} ${address} (${fields.map((field) => field.path).join(", ")})`,
  );
  if (left.length > 0) return failed(steps, `a second plan is not empty: ${listFew(left, 5)}`);
  return { rehearsal: { converges: true, steps }, refusals: [] };
}

function failed(steps: number, problem: string, address?: Address) {
  const remedy =
    "correct the manifest, or what is live and contradicts it; if both are right, report the plan that plan --out saves";
  const message = `the rehearsal of this plan failed: ${problem}`;
  return {
    rehearsal: { converges: false, steps },
    refusals: [{ code: "does-not-converge", ...(address !== undefined && { address }), message, remedy } as const],
  };
}

/** No step may be refused, leave a reference dangling or serve a hostport twice. */
export function runOnModel(
  { changed, dangling, live, manifests, operations, options: { moduleEndpoints } }: Rehearsal,
  label = "rehearsal",
): { readonly live: Live } | Readonly<{ steps: number; problem: string; address: Address }> {
  // Secrets don't enter the model: a text stands for each.
  const secrets = new Map<unknown, Secret>();
  const mask = (secret: Secret) => {
    const text = `${MASK} ${secrets.size}`;
    secrets.set(text, secret);
    return text;
  };
  const hide = (module: object) => mapMembers(module, (value) => (value instanceof Secret ? mask(value) : value));
  const reveal = <T extends object>(modules: T): T =>
    mapMembers(modules, (module) =>
      isObject(module) ? mapMembers(module, (value) => secrets.get(value) ?? value) : module,
    );
  const placeholders = placeholdersFor(changed, live);
  const modules = live.modules.flatMap(({ modules: read, path }) =>
    Object.entries(read).map(([name, module]) => [`${path}/${name}`, module && (hide(module) as JsonObject)] as const),
  );
  const lists = forListedKinds((kind) => [...live.lists[kind], ...placeholders[kind].map((id) => ({ id }))]);
  const world = worldFrom({ lists, modules: Object.fromEntries(modules) }, { moduleEndpoints });
  const mayDangle = new Set(
    changed.flatMap(({ address, deleted }) =>
      (dangling.has(address) ? deleted : []).flatMap(({ kind, id, wire }) => {
        const addr = addrOf(kind, wire);
        return addr === null ? [id] : [id, hostportKey(addr)];
      }),
    ),
  );
  let addresses = 0;
  const newAddr = (region: string) => `${++addresses}.${label}.${region}.invalid:1`;
  const env = { ...countingEnv({ label }), newAddr };
  const made = new Map<Address, Readonly<{ id: string; addr: Json }>>();
  const secretOf = secretResolver(manifests);
  for (const [steps, operation] of operations.entries()) {
    const { address, id, kind, method, pathBind } = operation;
    const fail = (problem: string) => ({
      steps,
      address,
      problem: `${id} (${method} ${operation.path}, ${address}) ${problem}`,
    });
    const owner = pathBind === undefined ? undefined : made.get(pathBind.address);
    const path = operation.path.replace("{id}", owner?.id ?? "{id}");
    const body = Object.entries(operation.bind).reduce<Value>((bound, [pointer, binding]) => {
      const part = "secret" in binding ? mask(secretOf(binding.secret)) : made.get(binding.address)?.[binding.part];
      return setAt(bound, pointer, part ?? null);
    }, operation.body) as Json;
    const { response, effects } = respond(world, { method, path, ...(body !== null && { body }) }, env);
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
  const after = listAll(world);
  return {
    live: {
      ...live,
      lists: forListedKinds((kind) =>
        after[kind].filter(({ id }) => !placeholders[kind].includes(String(id))).map((wire) => reveal(wire)),
      ),
      modules: live.modules.map(({ modules: before, ...place }) => {
        const names = Object.keys(before);
        const read = names.map((name) => [name, world.modules.get(`${place.path}/${name}`) ?? null] as const);
        return { ...place, modules: reveal(Object.fromEntries(read)) };
      }),
    },
  };
}

function mapMembers<T extends object>(object: T, map: (value: unknown) => unknown): T {
  const changed = Object.entries(object).flatMap(([name, value]: [string, unknown]) => {
    const mapped = map(value);
    return mapped === value ? [] : [[name, mapped] as const];
  });
  return changed.length === 0 ? object : { ...object, ...Object.fromEntries(changed) };
}

/** Ids that no list shows are taken as existing. */
function placeholdersFor(changed: readonly ResourceChange[], live: Live) {
  const named = changed.flatMap(({ kind, result }) => (result === null ? [] : referencesIn(kind, result.spec)));
  return forListedKinds((kind) => {
    const known = new Set(live.lists[kind].map(({ id }) => id));
    const ids = named.flatMap(({ reference: { kind: referred, target } }) =>
      referred === kind && "id" in target && !known.has(target.id) ? [target.id] : [],
    );
    return [...new Set(ids)];
  });
}
