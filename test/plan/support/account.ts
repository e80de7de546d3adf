import type { Json, JsonObject } from "../../../src/json.js";
import { isObject } from "../../../src/json.js";
import { addressOf, type Address, type KindName } from "../../../src/kinds/names.js";
import type { ValueObject } from "../../../src/kinds/value.js";
import type { Live, LiveModules } from "../../../src/live/live.js";
import type { Manifest } from "../../../src/manifest/manifest.js";
import { countingEnv } from "../../../src/model/counting-env.js";
import { applyEffects } from "../../../src/model/effects.js";
import { listAll } from "../../../src/model/list-all.js";
import type { ModelOptions } from "../../../src/model/options.js";
import { respond } from "../../../src/model/respond.js";
import { problems, violationsOf } from "../../../src/model/violations.js";
import { worldFrom } from "../../../src/model/world-from.js";
import { plan } from "../../../src/plan/make-plan.js";
import type { PlanOptions } from "../../../src/plan/options.js";
import type { Operation, Plan } from "../../../src/plan/plan.js";
import { setPointers } from "../../../src/plan/set-pointers.js";

/** A manifest as the loader gives it. */
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
    fingerprint: "sha256:0",
    ...more,
    spec,
  };
}

const defaults: PlanOptions = {
  stack: "test",
  previousStacks: [],
  baseUrl: "http://model.example",
  toolVersion: "0",
  moduleEndpoints: [],
  prune: true,
  allow: [],
  maxDeletes: null,
  allowEmpty: false,
  takeOver: false,
  only: null,
  destroy: false,
  lookUp: false,
};

/** What became of the operations that were run. */
export interface Ran {
  readonly done: readonly Operation[];
  /** In words; empty = the service refused nothing and nothing broke on the way. */
  readonly troubles: readonly string[];
}

/** A service in memory, planned for and applied to as the program does over HTTP. */
export class Account {
  readonly #env = countingEnv({ label: "live" });
  readonly world;
  readonly #modules: LiveModules[] = [];

  constructor(options: Partial<ModelOptions> = {}) {
    this.world = worldFrom({}, options);
  }

  /** One request, as somebody at the console would send it. */
  call(method: string, path: string, body?: Json): JsonObject {
    const { response, effects } = respond(
      this.world,
      { method, path, ...(body === undefined ? {} : { body }) },
      this.#env,
    );
    if (response.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(response)}`);
    applyEffects(this.world, effects);
    return isObject(response.body) ? (response.body as JsonObject) : {};
  }

  live(): Live {
    return { lists: listAll(this.world), unreadable: [], modules: this.#modules };
  }

  plan(desired: readonly Manifest[], options: Partial<PlanOptions> = {}): Plan {
    return plan(desired, this.live(), { ...defaults, ...options });
  }

  /**
   * Runs operations in any order that the graph allows.
   * @param pick chooses among the ready ones, given how many there are
   * @param limit how many are run before the run is cut
   */
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
      const body = setPointers(operation.body, operation.bind, (binding) => {
        if ("secret" in binding) return "a secret";
        const found = made.get(binding.address);
        return found === undefined ? null : binding.part === "id" ? found.id : found.addr;
      });
      const request = {
        method: operation.method,
        path: operation.path.replace("{id}", id),
        ...(body === null ? {} : { body }),
      };
      const { response, effects } = respond(this.world, request, this.#env);
      if (response.status >= 300)
        troubles.push(`${operation.id} ${operation.method} ${operation.path}: ${JSON.stringify(response.body)}`);
      applyEffects(this.world, effects);
      troubles.push(...violationsOf(this.world, effects).map((violation) => violation.message));
      if (operation.kind === "create" && isObject(response.body) && typeof response.body["id"] === "string") {
        made.set(operation.address, {
          id: response.body["id"],
          addr: (response.body["addr"] as Json | undefined) ?? null,
        });
      }
      ended.add(operation.id);
      done.push(operation);
    }
    return { done, troubles };
  }

  /** Plans and applies; throws when the plan is refused or anything goes wrong on the way. */
  apply(desired: readonly Manifest[], options: Partial<PlanOptions> = {}): Plan {
    const made = this.plan(desired, options);
    if (made.refusals.length > 0) throw new Error(JSON.stringify(made.refusals, null, 1));
    const { troubles } = this.run(made);
    if (troubles.length > 0) throw new Error(troubles.join("\n"));
    return made;
  }

  problems(): readonly string[] {
    return problems(this.world);
  }
}

/** The operations of a plan, short: `POST /edges/tls`. */
export function writes(of: Plan): readonly string[] {
  return of.operations.map((operation) => `${operation.method} ${operation.path}`);
}

/** The codes of a plan's refusals. */
export function refusals(of: Plan): readonly string[] {
  return of.refusals.map((refusal) => refusal.code);
}
