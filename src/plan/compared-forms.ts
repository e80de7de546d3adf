import type { Spec } from "../json.js";
import type { Reference, ReferenceTarget } from "../kinds/kind.js";
import { NormalForms } from "../kinds/normal-form.js";
import type { Remarks } from "./apply-defaults.js";
import type { Differences } from "./diff.js";

/** What a comparison of a manifest with a live resource depends on, beside both normal forms. */
export interface ComparedBy {
  /** `lifecycle.ignore` of the manifest. */
  readonly ignore: readonly string[];
  readonly moduleEndpoints: readonly string[];
}

/** A manifest and a live resource that were found to be the same. */
export interface Unchanged {
  readonly remarks: Remarks;
  /** Empty. */
  readonly differences: Differences;
  /** What each reference by name stood for. If one stands for something else now, the comparison is void. */
  readonly resolved: readonly { readonly reference: Reference; readonly target: ReferenceTarget }[];
}

/**
 * Normal forms that also remember which resources are unchanged, as far as that was found out ahead of the plan. What is
 * different is compared again by the plan, and not kept here.
 */
export class ComparedForms extends NormalForms {
  /** By the live side. */
  readonly #unchanged = new WeakMap<Spec, Unchanged & ComparedBy & { readonly desired: Spec }>();

  /** Remembers that nothing differs. */
  keepUnchanged(desired: Spec, live: Spec, by: ComparedBy, unchanged: Unchanged): void {
    const { ignore, moduleEndpoints } = by;
    this.#unchanged.set(live, { ...unchanged, desired, ignore, moduleEndpoints });
  }

  /** What was remembered of exactly these two, compared in this way. */
  unchanged(desired: Spec, live: Spec, { ignore, moduleEndpoints }: ComparedBy): Unchanged | undefined {
    const kept = this.#unchanged.get(live);
    if (kept?.desired !== desired || kept.ignore !== ignore || kept.moduleEndpoints !== moduleEndpoints)
      return undefined;
    return kept;
  }
}
