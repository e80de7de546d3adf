import type { JsonObject, Spec } from "../json.js";
import type { Kind, Reference, ReferenceTarget } from "../kinds/kind.js";
import { type Address, type ListedKind, addressOf } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import type { Manifest } from "../manifest/manifest.js";
import { push } from "./account-index.js";
import { applyDefaults, noRemarks } from "./apply-defaults.js";
import { type ComparedBy, ComparedForms, type Unchanged } from "./compared-forms.js";
import { diff, immutableDifferences, noDifferences } from "./diff.js";
import { mayReplaceSecrets } from "./former-secrets.js";
import type { PlanOptions } from "./options.js";
import { isPlainlyUnchanged } from "./plainly-unchanged.js";
import { isReferable, resolveSpec, targetOf } from "./proposed-state.js";

/**
 * Does a plan's work on single resources, one in each step, before the plan is made, while pages and manifests are on their way: normal forms,
 * and the comparison of what carries the marker of a manifest. Nothing is decided here. The plan takes what it finds in
 * {@link CompareAhead.forms} when it comes to the same pair, compared in the same way, and does the rest itself.
 */
export class CompareAhead {
  readonly forms = new ComparedForms();
  /** The manifests that have places for secrets, by the list of manifests, and how many of the list were handled. */
  readonly #secretHolders = new Map<readonly Manifest[], { readonly found: Manifest[]; handled: number }>();
  readonly #stacks: ReadonlySet<string>;
  readonly #moduleEndpoints: readonly string[];
  readonly #desired = new Map<Address, Desired>();
  readonly #live = new Map<Address, LiveSide>();
  /** Manifests that refer to what is not known yet, by its address. */
  readonly #waiting = new Map<Address, Address[]>();
  /** Those that waited for what is known now. */
  readonly #ready: Address[] = [];

  constructor({
    moduleEndpoints,
    previousStacks,
    stack,
  }: Pick<PlanOptions, "moduleEndpoints" | "previousStacks" | "stack">) {
    this.#stacks = new Set([stack, ...previousStacks]);
    this.#moduleEndpoints = moduleEndpoints;
  }

  /** Handles the manifests in steps; each ends where other work may have its turn. */
  *takeManifests(manifests: readonly Manifest[]): Generator<undefined, void> {
    const holders: { readonly found: Manifest[]; handled: number } = { found: [], handled: 0 };
    this.#secretHolders.set(manifests, holders);
    for (const manifest of manifests) {
      yield;
      const kind = kinds[manifest.kind];
      const spec = this.forms.prepareSpec(kind, manifest.spec);
      if (mayReplaceSecrets(kind, spec)) holders.found.push(manifest);
      holders.handled += 1;
      this.#desired.set(manifest.address, { manifest, kind, spec });
      this.#compare(manifest.address);
      this.#release(kind, manifest.address);
    }
    yield* this.#compareReady();
  }

  /** Those of some manifests that may have places for secrets: of what was not handled yet, all. */
  secretHoldersOf(manifests: readonly Manifest[]): readonly Manifest[] {
    const holders = this.#secretHolders.get(manifests);
    return holders === undefined ? manifests : [...holders.found, ...manifests.slice(holders.handled)];
  }

  /** Handles a page of a list in the same way. */
  *takePage(name: ListedKind, items: readonly JsonObject[]): Generator<undefined, void> {
    const kind = kinds[name];
    for (const wire of items) {
      yield;
      const { metadata, spec } = this.forms.prepareWire(kind, wire);
      const { marker } = metadata;
      if (marker === null || !this.#stacks.has(marker.stack)) continue;
      const address = addressOf(name, marker.name);
      this.#live.set(address, { kind, id: String(wire["id"]), wire, spec });
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
    const live = this.#live.get(address);
    if (desired === undefined || live === undefined) return;
    const { kind, manifest, spec } = desired;
    const by = { ignore: manifest.lifecycle.ignore, moduleEndpoints: this.#moduleEndpoints };
    if (this.#isPlain(desired, live, by)) return;
    const defaulted = applyDefaults(kind, spec, live.spec, by);
    if (immutableDifferences(kind, live.spec, defaulted.spec).length > 0) return;
    const found = this.#resolve(address, kind, defaulted.spec);
    if (found !== null) {
      const differences = diff(kind, live.spec, found.spec);
      if (differences.changed.length === 0 && differences.uncertain.length === 0) {
        const { remarks } = defaulted;
        this.forms.keepUnchanged(spec, live.spec, by, { remarks, differences, resolved: found.resolved });
      }
    }
  }

  /** Whether a resource is plainly unchanged, which is then kept. */
  #isPlain({ kind, spec }: Desired, live: LiveSide, by: ComparedBy): boolean {
    let resolved: Resolution[] | null = null;
    const isPlain = isPlainlyUnchanged(kind, spec, live.spec, (reference) => {
      const target = this.#targetOf(reference);
      if (target !== null) (resolved ??= []).push({ reference, target });
      return target;
    });
    if (!isPlain) return false;
    const unchanged = { remarks: noRemarks, differences: noDifferences, resolved: resolved ?? nothingResolved };
    this.forms.keepUnchanged(spec, live.spec, by, unchanged);
    return true;
  }

  /** The spec with its references resolved; null when that has to wait, or can't be done. */
  #resolve(address: Address, kind: Kind, spec: Spec): Resolved | null {
    const resolved: Resolution[] = [];
    let complete = true;
    const full = resolveSpec(kind, spec, (reference) => {
      const target = this.#targetOf(reference);
      if (target !== null) resolved.push({ reference, target });
      else if ("name" in reference.target && reference.kind !== null) {
        complete = false;
        push(this.#waiting, addressOf(reference.kind, reference.target.name), address);
      }
      return target;
    });
    return complete ? { spec: full, resolved: resolved.length === 0 ? nothingResolved : resolved } : null;
  }

  /** What a reference by name stands for, as far as is known. */
  #targetOf({ kind, part, target }: Reference): ReferenceTarget | null {
    if (!("name" in target) || kind === null) return null;
    const named = addressOf(kind, target.name);
    const live = this.#desired.has(named) ? this.#live.get(named) : undefined;
    return live === undefined ? null : targetOf(part, live);
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

interface LiveSide {
  readonly kind: Kind;
  readonly id: string;
  readonly wire: JsonObject;
  /** Normal form. */
  readonly spec: Spec;
}

interface Resolved extends Pick<Unchanged, "resolved"> {
  readonly spec: Spec;
}

/** A reference by name, and what it stood for. */
type Resolution = Unchanged["resolved"][number];

const nothingResolved: Unchanged["resolved"] = [];
