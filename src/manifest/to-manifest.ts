import type { ManifestDocument } from "../generated/manifest-types.js";
import { isObject } from "../core/json.js";
import type { ListedKind } from "../kinds/names.js";
import { specFromManifest } from "../kinds/normal-form.js";
import { kinds } from "../kinds/registry.js";
import { createHash } from "node:crypto";
import { Secret } from "../core/secret.js";
import type { Manifest } from "./manifest.js";
import type { ParsedManifest } from "./parsed-manifest.js";

/** The members that all kinds share, in their widest form. */
type SharedMembers = Pick<Extract<ManifestDocument, { kind: ListedKind }>, "metadata" | "lifecycle">;

/**
 * The manifest of a valid document.
 * @param adopted the id that the configuration has for its address; null = none
 */
export function toManifest(parsed: ParsedManifest, adopted: string | null): Manifest {
  const { address, file, kind, line, name, spec } = parsed;
  // It passed the validation by its schema.
  const { lifecycle, metadata } = parsed.value as SharedMembers;
  const origin: Fingerprinted = { kind, metadata, lifecycle: lifecycle ?? {}, spec };
  return new LoadedManifest(origin, {
    kind,
    name,
    address,
    source: { file, line },
    labels: labelsFrom(metadata.labels),
    id: metadata.id ?? adopted,
    previousNames: metadata.previousNames ?? none,
    lifecycle: lifecycle === undefined || lifecycle === null ? usualLifecycle : lifecycleFrom(lifecycle),
    spec,
  });
}

const none: readonly never[] = [];

/** Of manifests without `lifecycle`: one object for all of them. */
const usualLifecycle: Manifest["lifecycle"] = { ignore: none };

function lifecycleFrom({ deletion, ignore, replaced }: NonNullable<SharedMembers["lifecycle"]>): Manifest["lifecycle"] {
  return {
    ...(deletion === undefined || deletion === null ? {} : { deletion }),
    ...(replaced === undefined || replaced === null ? {} : { replaced }),
    ignore: ignore ?? none,
  };
}

/** What the fingerprint of a manifest is made from. */
interface Fingerprinted extends Pick<ParsedManifest, "kind" | "spec"> {
  readonly metadata: SharedMembers["metadata"];
  readonly lifecycle: NonNullable<SharedMembers["lifecycle"]>;
}

/**
 * A manifest whose fingerprint is computed when it is needed: only plans with secrets use it, and for all manifests it
 * would take long. The getter is one for all of them, because V8 keeps an object with a getter of its own as a hash table,
 * which takes a kilobyte. It belongs to each object nevertheless, so that copies have the fingerprint, too.
 */
class LoadedManifest implements Manifest {
  readonly kind: Manifest["kind"];
  readonly name: Manifest["name"];
  readonly address: Manifest["address"];
  readonly source: Manifest["source"];
  readonly labels: Manifest["labels"];
  readonly id: Manifest["id"];
  readonly previousNames: Manifest["previousNames"];
  readonly lifecycle: Manifest["lifecycle"];
  readonly spec: Manifest["spec"];
  declare readonly fingerprint: string;
  readonly #origin: Fingerprinted;
  #known: string | undefined;

  constructor(origin: Fingerprinted, manifest: Omit<Manifest, "fingerprint">) {
    this.kind = manifest.kind;
    this.name = manifest.name;
    this.address = manifest.address;
    this.source = manifest.source;
    this.labels = manifest.labels;
    this.id = manifest.id;
    this.previousNames = manifest.previousNames;
    this.lifecycle = manifest.lifecycle;
    this.spec = manifest.spec;
    this.#origin = origin;
    Object.defineProperty(this, "fingerprint", LoadedManifest.#fingerprint);
  }

  static readonly #fingerprint: PropertyDescriptor & ThisType<LoadedManifest> = {
    enumerable: true,
    configurable: true,
    get() {
      return (this.#known ??= fingerprintOf(this.#origin));
    },
  };
}

/** In normal form every secret is wrapped, including those in plain text in a policy. */
function fingerprintOf({ kind, lifecycle, metadata, spec }: Fingerprinted): string {
  return manifestFingerprint({ kind, metadata, lifecycle, spec: specFromManifest(kinds[kind], spec) });
}

/** The labels themselves: a document of JSON has no undefined members, which its type allows. */
function labelsFrom(labels: SharedMembers["metadata"]["labels"]): Manifest["labels"] {
  return labels === undefined || labels === null || !areTexts(labels) ? noLabels : labels;
}

const noLabels: Manifest["labels"] = {};

function areTexts(labels: { readonly [label: string]: string | undefined }): labels is Manifest["labels"] {
  for (const label in labels) if (labels[label] === undefined) return false;
  return true;
}

/**
 * `sha256:…` of the content of a manifest: canonical JSON (members sorted) in which a secret is replaced by its source
 * and its mask, so that no hash of a secret ever leaves this program.
 */
export function manifestFingerprint(value: unknown): string {
  return `sha256:${createHash("sha256").update(canonicalWithMaskedSecrets(value), "utf8").digest("hex")}`;
}

function canonicalWithMaskedSecrets(value: unknown): string {
  if (value instanceof Secret) return canonicalWithMaskedSecrets({ secret: value.source, shown: value.toJSON() });
  if (Array.isArray(value)) return `[${value.map(canonicalWithMaskedSecrets).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value ?? null);
  let members = "";
  for (const name of Object.keys(value).sort()) {
    const member = value[name];
    if (member !== undefined)
      members += `${members === "" ? "" : ","}${JSON.stringify(name)}:${canonicalWithMaskedSecrets(member)}`;
  }
  return `{${members}}`;
}
