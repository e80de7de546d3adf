import { createHash } from "node:crypto";
import { type ValueObject, isObject } from "../core/json.js";
import { Secret } from "../core/secret.js";
import type { Deletion, Replaced } from "../kinds/kind.js";
import type { Address, KindName } from "../kinds/names.js";
import { specFromManifest } from "../kinds/normal-form.js";
import { kinds } from "../kinds/registry.js";
import { type ParsedManifest, idOf } from "./parsed-manifest.js";

/** One resource as its valid manifest describes it, with variables substituted, content files read and secrets wrapped. */
export interface Manifest {
  readonly kind: KindName;
  readonly name: string;
  readonly address: Address;
  /** `file` is relative to the root, with `/`; lines and columns start at 1. */
  readonly source: { readonly file: string; readonly line: number; readonly column?: number };
  readonly labels: { readonly [label: string]: string };
  /** `metadata.id`, or the id for this address under `adopt` in the configuration. */
  readonly id: string | null;
  readonly previousNames: readonly string[];
  readonly lifecycle: {
    readonly deletion?: Deletion;
    readonly replaced?: Replaced;
    /** Paths like `spec.description` or `spec.tls_termination.min_version`. */
    readonly ignore: readonly string[];
  };
  /** In the manifest's shape: members that it leaves out are absent, `null` is kept. */
  readonly spec: ValueObject;
  /** `sha256:…` of the document with secrets masked: shows whether a manifest changed since a plan. */
  readonly fingerprint: string;
}

/** What the schemas of all kinds share, as far as it becomes part of a manifest. */
interface SharedMembers {
  readonly metadata?: {
    readonly labels?: Manifest["labels"] | null;
    readonly previousNames?: readonly string[] | null;
  };
  readonly lifecycle?: {
    readonly deletion?: Deletion | null;
    readonly replaced?: Replaced | null;
    readonly ignore?: readonly string[] | null;
  } | null;
}

/** The manifest of a valid document. @param adopt the configuration's ids by address */
export function toManifest(parsed: ParsedManifest, adopt: { readonly [address: string]: string }): Manifest {
  const { address, file, kind, line, name, spec, value } = parsed;
  const { lifecycle, metadata } = value as SharedMembers;
  const { deletion, ignore, replaced } = lifecycle ?? {};
  // In normal form every secret is wrapped, including those in plain text in a policy.
  const compared = { kind, metadata, lifecycle: lifecycle ?? {}, spec: specFromManifest(kinds[kind], spec) };
  return {
    kind,
    name,
    address,
    source: { file, line },
    labels: { ...metadata?.labels },
    id: idOf(parsed, adopt),
    previousNames: metadata?.previousNames ?? [],
    lifecycle: { ...(deletion ? { deletion } : {}), ...(replaced ? { replaced } : {}), ignore: ignore ?? [] },
    spec,
    fingerprint: `sha256:${createHash("sha256").update(canonical(compared), "utf8").digest("hex")}`,
  };
}

/** Canonical JSON (members sorted) in which a secret is its source and its mask: no hash of a secret leaves this program. */
function canonical(value: unknown): string {
  if (value instanceof Secret) return canonical({ secret: value.source, shown: value.toJSON() });
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value ?? null);
  const members = Object.keys(value)
    .sort()
    .filter((name) => value[name] !== undefined)
    .map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`);
  return `{${members.join(",")}}`;
}
