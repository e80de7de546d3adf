import { setAt } from "../../../src/core/document-path.ts";
import { type Json, type JsonObject, type Value, type ValueObject, isObject } from "../../../src/core/json.ts";
import { readMarker } from "../../../src/kinds/marker.ts";
import {
  type Address,
  type KindName,
  type ListedKind,
  type ModuleKind,
  addressOf,
  isAddress,
  kindOf,
  nameOf,
} from "../../../src/kinds/names.ts";
import { kinds } from "../../../src/kinds/registry.ts";
import type { Live, LiveModules } from "../../../src/live/live.ts";
import type { Manifest } from "../../../src/manifest/manifest.ts";
import { applyEffects, problems, violationsOf } from "../../../src/model/effects.ts";
import { type ModelOptions, countingEnv } from "../../../src/model/model-options.ts";
import { respond } from "../../../src/model/respond.ts";
import { listAll, worldFrom } from "../../../src/model/world-seed.ts";
import { plan } from "../../../src/plan/make-plan.ts";
import { type PlanOptions, planDefaults } from "../../../src/plan/plan-context.ts";
import type { Change, Operation, Plan, Refusal } from "../../../src/plan/plan-format.ts";
import { Secret } from "../../../src/core/secret.ts";

export function manifest(
  kind: KindName,
  name: string,
  spec: ValueObject,
  more: Partial<Pick<Manifest, "id" | "previousNames" | "lifecycle" | "labels">> = {},
): Manifest {
  return {
    kind,
    name,
    address: addressOf(kind, name),
    source: { file: "edge/all.yaml", line: 1 },
    labels: {},
    id: null,
    previousNames: [],
    lifecycle: { ignore: [] },
    ...more,
    spec,
  };
}

export const defaults: PlanOptions = {
  ...planDefaults,
  stack: "test",
  baseUrl: "http://model.example",
  toolVersion: "0",
};

export interface Ran {
  readonly done: readonly Operation[];
  readonly troubles: readonly string[];
}

export class Account {
  readonly env = countingEnv({ label: "live" });
  readonly world;
  readonly #watched: { readonly kind: ModuleKind; readonly id: string; readonly path: string }[] = [];
  /** What secrets turn out to be when an operation sends them, by reference. */
  readonly secrets: { [reference: string]: string } = {};

  constructor(options: Partial<ModelOptions> = {}, lists: Partial<Live["lists"]> = {}) {
    this.world = worldFrom({ lists }, options);
  }

  call(method: string, path: string, body?: Json): JsonObject {
    const { response, effects } = respond(
      this.world,
      { method, path, ...(body === undefined ? {} : { body }) },
      this.env,
    );
    if (response.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(response)}`);
    applyEffects(this.world, effects);
    return isObject(response.body) ? response.body : {};
  }

  hold(kind: ListedKind, wire: JsonObject): void {
    const id = String(wire["id"]);
    applyEffects(this.world, [{ of: "resource", kind, id, before: null, after: wire }]);
  }

  live(): Live {
    return { lists: listAll(this.world), unreadable: [], modules: this.#watched.map((one) => this.#modulesOf(one)) };
  }

  watch(kind: ModuleKind, id: string, path: string): void {
    this.#watched.push({ kind, id, path });
  }

  #modulesOf({
    kind,
    id,
    path,
  }: {
    readonly kind: ModuleKind;
    readonly id: string;
    readonly path: string;
  }): LiveModules {
    const names = Object.entries(kinds[kind].fields).flatMap(([name, field]) => (field.module ? [name] : []));
    const read = names.map((name): [string, ValueObject | null] => {
      const wire = this.world.modules.get(`${path}/${name}`);
      if (wire === undefined) return [name, null];
      const secret =
        typeof wire["secret"] === "string" && wire["secret"] !== ""
          ? { secret: Secret.of(wire["secret"], "live") }
          : {};
      return [name, { ...wire, ...secret }];
    });
    return { kind, id, path, modules: Object.fromEntries(read) };
  }

  one(address: string): JsonObject {
    const found = this.all(address);
    const [only] = found;
    if (only === undefined || found.length > 1) throw new Error(`${found.length} live resources are called ${address}`);
    return only;
  }

  all(address: string): readonly JsonObject[] {
    if (!isAddress(address)) throw new Error(`${address} is no address`);
    return this.list(kindOf(address) as ListedKind).filter(
      ({ metadata }) => readMarker(metadata).marker?.name === nameOf(address),
    );
  }

  list(kind: ListedKind): readonly JsonObject[] {
    return this.live().lists[kind];
  }

  id(address: string): string {
    return String(this.one(address)["id"]);
  }

  path(address: Address): string {
    return kinds[kindOf(address)].path(this.id(address), {});
  }

  meddle(address: Address, body: Json): void {
    this.call("PATCH", this.path(address), body);
  }

  plan(desired: readonly Manifest[], options: Partial<PlanOptions> = {}): Plan {
    return plan(desired, this.live(), { ...defaults, ...options });
  }

  carryOut(made: Plan): readonly Operation[] {
    const { done, troubles } = this.run(made);
    if (troubles.length > 0) throw new Error(troubles.join("\n"));
    return done;
  }

  /** Runs operations in any order that the graph allows. */
  run(of: Plan, pick: (count: number) => number = () => 0, limit = Number.POSITIVE_INFINITY): Ran {
    const made = new Map<Address, { readonly id: string; readonly addr: Json }>();
    const ended = new Set<string>();
    const waiting = [...of.operations];
    const done: Operation[] = [];
    const troubles: string[] = [];
    while (waiting.length > 0 && done.length < limit) {
      const ready = waiting.filter((operation) => operation.after.every((id) => ended.has(id)));
      const operation = ready[pick(ready.length)];
      if (operation === undefined) return { done, troubles: [...troubles, "nothing is ready: the graph has a circle"] };
      waiting.splice(waiting.indexOf(operation), 1);
      const id = operation.pathBind === undefined ? "" : (made.get(operation.pathBind.address)?.id ?? "");
      let body: Value = operation.body;
      for (const [pointer, binding] of Object.entries(operation.bind)) {
        const found = "secret" in binding ? undefined : made.get(binding.address);
        const secret = "secret" in binding ? (this.secrets[binding.secret] ?? "a secret") : undefined;
        const part = "secret" in binding ? secret : binding.part === "id" ? found?.id : found?.addr;
        body = setAt(body, pointer, part ?? null);
      }
      const request = {
        method: operation.method,
        path: operation.path.replace("{id}", id),
        ...(body === null ? {} : { body: body as Json }),
      };
      const { response, effects } = respond(this.world, request, this.env);
      if (response.status >= 300)
        troubles.push(`${operation.id} ${operation.method} ${operation.path}: ${JSON.stringify(response.body)}`);
      applyEffects(this.world, effects);
      troubles.push(...violationsOf(this.world, effects).map((violation) => violation.message));
      if (operation.kind === "create" && isObject(response.body) && typeof response.body["id"] === "string") {
        made.set(operation.address, {
          id: response.body["id"],
          addr: response.body["addr"] ?? null,
        });
      }
      ended.add(operation.id);
      done.push(operation);
    }
    return { done, troubles };
  }

  apply(desired: readonly Manifest[], options: Partial<PlanOptions> = {}): Plan {
    const made = this.plan(desired, options);
    if (made.refusals.length > 0) throw new Error(JSON.stringify(made.refusals, null, 1));
    this.carryOut(made);
    return made;
  }

  problems(): readonly string[] {
    return problems(this.world);
  }
}

export function writes(of: Plan): readonly string[] {
  return of.operations.map((operation) => `${operation.method} ${operation.path}`);
}

export function refusals(of: Plan): readonly string[] {
  return of.refusals.map((refusal) => refusal.code);
}

export function changeOf(of: Plan, address: string): Change {
  const found = of.changes.filter((change) => change.address === address);
  const [only] = found;
  if (only === undefined || found.length > 1) throw new Error(`${found.length} changes of ${address}`);
  return only;
}

export function operationsOf(of: Plan, address: string): readonly Operation[] {
  return of.operations.filter((operation) => operation.address === address);
}

export function bodyOf(of: Plan, address: string): Json {
  const found = operationsOf(of, address);
  const [only] = found;
  if (only === undefined || found.length > 1) throw new Error(`${found.length} operations of ${address}`);
  return only.body;
}

export function refusal(of: Plan): Refusal {
  const [only] = of.refusals;
  if (only === undefined || of.refusals.length > 1) throw new Error(JSON.stringify(of.refusals, null, 1));
  return only;
}

export function warnings(of: Plan): readonly string[] {
  return of.warnings.map((warning) => warning.code);
}

export function paths(change: Change): readonly string[] {
  return change.fields.map((field) => field.path);
}
