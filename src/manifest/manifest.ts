import type { ValueObject } from "../core/json.js";
import type { Deletion, Replaced } from "../kinds/kind.js";
import type { Address, KindName } from "../kinds/names.js";

/** The place of a manifest. Lines and columns start at 1; `file` is relative to the root, with `/`. */
interface Source {
  readonly file: string;
  readonly line: number;
  readonly column?: number;
}

/**
 * One resource as its manifest describes it: validated, with variables substituted, content files read and secrets
 * wrapped (they are read only when needed). It still has the manifest's shape; `kinds/` bring it to normal form.
 */
export interface Manifest {
  readonly kind: KindName;
  readonly name: string;
  readonly address: Address;
  readonly source: Source;
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
  /** Members that the manifest leaves out are absent; `null` is kept. */
  readonly spec: ValueObject;
  /** `sha256:…` of the document with secrets masked: shows whether a manifest changed since a plan. */
  readonly fingerprint: string;
}
