import type { Kind } from "../kinds/kind.js";
import { kinds } from "../kinds/registry.js";
import { specFromManifest } from "../kinds/normal-form.js";
import type { Live } from "../live/live.js";
import type { Manifest } from "../manifest/manifest.js";
import type { PlanOptions } from "./options.js";
import type { Ordered } from "./order.js";
import type { Operation, Plan, Refusal } from "./plan.js";
import { eachReference } from "./references.js";
import { runOnModel } from "./rehearse.js";
import { pathOf } from "./steps.js";
import { findUnorderedPair } from "./unordered.js";
import type { ResourceChange } from "./work.js";

export interface RehearsalRequest {
  readonly desired: readonly Manifest[];
  readonly live: Live;
  readonly options: PlanOptions;
  readonly operations: readonly Operation[];
  readonly proof: RehearsalNeeds;
  /** The planner, to plan again with. */
  readonly plan: (desired: readonly Manifest[], live: Live, options: PlanOptions) => Plan;
}

/** What a rehearsal needs to know beside the operations. */
export interface RehearsalNeeds {
  /** Two operations that nothing orders although they touch the same, in words; null when there are none. */
  readonly loose: string | null;
  /** See {@link runOnModel}. */
  readonly placeholders: readonly string[];
  readonly mayDangle: ReadonlySet<string>;
}

/** @param dangling addresses that are deleted although something refers to them, as allowed */
export function rehearsalNeeds(
  ordered: Ordered,
  works: readonly ResourceChange[],
  dangling: ReadonlySet<string>,
): RehearsalNeeds {
  return {
    loose: findUnorderedPair(ordered),
    placeholders: literalIds(works),
    mayDangle: new Set(
      works.flatMap(({ address, deleted }) =>
        dangling.has(address) ? deleted.flatMap((one) => [one.id, ...addrOf(one.wire["addr"])]) : [],
      ),
    ),
  };
}

/** What the plan says of its rehearsal, and the refusal when it didn't come out as it must. */
export interface RehearsalOutcome {
  readonly rehearsal: { readonly converges: boolean; readonly steps: number };
  readonly refusal: Refusal | null;
}

/** Runs a plan against the model and plans again: nothing must be left to do. */
export function rehearsePlan(request: RehearsalRequest): RehearsalOutcome {
  const { desired, live, options, operations, proof } = request;
  if (operations.length === 0) return { rehearsal: { converges: true, steps: 0 }, refusal: null };
  if (proof.loose !== null) return failed(0, proof.loose);
  const {
    steps,
    live: after,
    problem,
  } = runOnModel({
    live,
    operations,
    moduleEndpoints: options.moduleEndpoints,
    modulePaths: modulePaths(desired),
    placeholders: proof.placeholders,
    mayDangle: proof.mayDangle,
  });
  if (problem !== null) return failed(steps, problem);
  const rest = request.plan(desired, after, { ...options, rehearse: false, again: true });
  if (rest.changes.length === 0) return { rehearsal: { converges: true, steps }, refusal: null };
  const left = rest.changes.map(
    ({ address, action, fields }) => `${action} ${address} (${fields.map((field) => field.path).join(", ")})`,
  );
  return failed(
    steps,
    `planning again still finds something to do: ${left.slice(0, 5).join("; ")}${left.length > 5 ? ` and ${left.length - 5} more` : ""}`,
  );
}

function failed(steps: number, problem: string): RehearsalOutcome {
  return {
    rehearsal: { converges: false, steps },
    refusal: {
      code: "does-not-converge",
      message: `the plan was rehearsed and did not come out as it must: ${problem}`,
      remedy:
        "this is most likely a mistake in this program: please report it with the saved plan (plan --out; it holds no secrets) and the manifests concerned",
    },
  };
}

function addrOf(addr: unknown): readonly string[] {
  return typeof addr === "string" ? [addr] : [];
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

/** Ids that manifests refer to literally, of the kinds that the API lists. */
function literalIds(works: readonly ResourceChange[]): readonly string[] {
  const ids: string[] = [];
  for (const { kind, result, change } of works) {
    if (result === null || change === null) continue;
    eachReference(kind, result.spec, (reference) => {
      if (reference.kind !== null && "id" in reference.target) ids.push(reference.target.id);
    });
  }
  return ids;
}
