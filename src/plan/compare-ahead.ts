import type { JsonObject, Spec } from "../json.js";
import type { Kind, Reference } from "../kinds/kind.js";
import { lockKind, readLock } from "../kinds/lock-object.js";
import { type Address, type ListedKind, addressOf } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import type { Manifest } from "../manifest/manifest.js";
import { type LiveResource, push } from "./account-index.js";
import { type Remarks, applyDefaults, noRemarks } from "./apply-defaults.js";
import { unchangedAhead } from "./build-change.js";
import { ComparedForms, type Resolution, type Settled } from "./compared-forms.js";
import { mayHaveDeadReferences } from "./dead-references.js";
import { type Differences, diff, immutableDifferences, noDifferences } from "./diff.js";
import { matchByName } from "./match.js";
import type { PlanOptions } from "./options.js";
import { isPlainlyUnchanged } from "./plainly-unchanged.js";
import { isReferable, resolveSpec, targetOf, unchangedState } from "./proposed-state.js";

/**
 * Does a plan's work on single resources, one in each step, before the plan is made, while pages and manifests are on their way: normal forms,
 * and the comparison of what carries the marker of a manifest. Nothing is decided here. The plan takes what it finds in
 * {@link CompareAhead.forms} when it comes to the same pair, compared in the same way, and does the rest itself.
 */
export class CompareAhead {
  readonly forms: ComparedForms;
  readonly #options: Pick<PlanOptions, "moduleEndpoints" | "stack">;
  readonly #desired = new Map<Address, Desired>();
  readonly #live = new Map<Address, LiveResource>();
  /** Manifests that refer to what is not known yet, by its address. */
  readonly #waiting = new Map<Address, Address[]>();
  /** Those that waited for what is known now. */
  readonly #ready: Address[] = [];

  constructor(options: Pick<PlanOptions, "moduleEndpoints" | "previousStacks" | "stack">) {
    this.forms = new ComparedForms(options);
    this.#options = options;
  }

  /** Handles the manifests in steps; each ends where other work may have its turn. */
  *takeManifests(manifests: readonly Manifest[]): Generator<undefined, void> {
    for (const manifest of manifests) {
      yield;
      const kind = kinds[manifest.kind];
      const spec = this.forms.prepareSpec(kind, manifest.spec);
      this.#desired.set(manifest.address, { manifest, kind, spec });
      this.#compare(manifest.address);
      this.#release(kind, manifest.address);
    }
    yield* this.#compareReady();
  }

  /** Handles a page of a list in the same way. The pages of a list must come in their order. */
  *takePage(name: ListedKind, items: readonly JsonObject[]): Generator<undefined, void> {
    const kind = kinds[name];
    const mayBeLocks = lockKind().kind === name;
    for (const wire of items) {
      yield;
      // The lists of a plan are without locks, too: it would not know them again.
      if (mayBeLocks && readLock(wire) !== null) continue;
      const resource = this.forms.growing.add(name, wire);
      if (!resource.owned || resource.marker === null) continue;
      const address = addressOf(name, resource.marker.name);
      this.#live.set(address, resource);
      this.#compare(address);
      this.#release(kind, address);
    }
    yield* this.#compareReady();
  }

  /**
   * Forgets the pages: the plan has come, and what it doesn't keep of them can be collected while it is made. Manifests stay,
   * for the pages of later lists.
   */
  forgetPages(): void {
    this.#live.clear();
    this.#waiting.clear();
    this.#ready.length = 0;
  }

  /** Compares a manifest with what carries its marker, once both are known and all that it refers to. */
  #compare(address: Address): void {
    const desired = this.#desired.get(address);
    const current = this.#live.get(address);
    if (desired === undefined || current === undefined) return;
    const { kind, manifest, spec } = desired;
    const plain = this.#plainlyUnchanged(desired, current);
    if (plain !== null)
      return this.#settle(desired, current, { differences: noDifferences, remarks: noRemarks }, plain);
    const by = { ignore: manifest.lifecycle.ignore, moduleEndpoints: this.#options.moduleEndpoints };
    const { remarks, spec: full } = applyDefaults(kind, spec, current.spec, by);
    if (immutableDifferences(kind, current.spec, full).length > 0) return;
    const found = this.#resolve(address, kind, full);
    if (found === null) return;
    const differences = diff(kind, current.spec, found.spec);
    if (differences.changed.length > 0 || differences.uncertain.length > 0) return;
    this.#settle(desired, current, { differences, remarks }, found.resolved);
  }

  #settle(
    { kind, manifest, spec }: Desired,
    current: LiveResource,
    found: { readonly differences: Differences; readonly remarks: Remarks },
    resolved: readonly Resolution[],
  ): void {
    const match = matchByName({ kind, manifest, desired: spec }, current);
    const mayHaveDead = mayHaveDeadReferences(kind, spec);
    const unchanged = unchangedAhead(match, current, found.remarks, this.#options);
    this.forms.settle({ state: unchangedState(match, current, { ...found, mayHaveDead, unchanged }), resolved });
  }

  /** What the references of a plainly unchanged resource stand for; null when it is not plainly unchanged. */
  #plainlyUnchanged({ kind, spec }: Desired, current: LiveResource): readonly Resolution[] | null {
    let resolved: Resolution[] | null = null;
    const isPlain = isPlainlyUnchanged(kind, spec, current.spec, (reference) => {
      const found = this.#resolutionOf(reference);
      if (found === null) return null;
      (resolved ??= []).push(found);
      return targetOf(reference.part, found.target);
    });
    return isPlain ? (resolved ?? nothingResolved) : null;
  }

  /** The spec with its references resolved; null when that has to wait, or can't be done. */
  #resolve(address: Address, kind: Kind, spec: Spec): (Pick<Settled, "resolved"> & { readonly spec: Spec }) | null {
    const resolved: Resolution[] = [];
    let complete = true;
    const full = resolveSpec(kind, spec, (reference) => {
      const found = this.#resolutionOf(reference);
      const target = found === null ? null : targetOf(reference.part, found.target);
      if (found !== null && target !== null) resolved.push(found);
      else if ("name" in reference.target && reference.kind !== null) {
        complete = false;
        push(this.#waiting, addressOf(reference.kind, reference.target.name), address);
      }
      return target;
    });
    return complete ? { spec: full, resolved: resolved.length === 0 ? nothingResolved : resolved } : null;
  }

  /** The live resource that a reference by name stands for, as far as is known. */
  #resolutionOf({ kind, target }: Reference): Resolution | null {
    if (!("name" in target) || kind === null) return null;
    const address = addressOf(kind, target.name);
    const live = this.#desired.has(address) ? this.#live.get(address) : undefined;
    return live === undefined ? null : { address, target: live };
  }

  /** What waited for this resource can be compared, now that more is known of it. */
  #release(kind: Kind, address: Address): void {
    const waiting = isReferable(kind) ? this.#waiting.get(address) : undefined;
    if (waiting === undefined) return;
    this.#waiting.delete(address);
    for (const each of waiting) this.#ready.push(each);
  }

  *#compareReady(): Generator<undefined, void> {
    for (const address of this.#ready.splice(0)) {
      yield;
      this.#compare(address);
    }
  }
}

interface Desired {
  readonly manifest: Manifest;
  readonly kind: Kind;
  /** Normal form. */
  readonly spec: Spec;
}

const nothingResolved: readonly Resolution[] = [];
