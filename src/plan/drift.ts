import type { FieldChange, Impact, Warning } from "./plan.js";

export const findingTypes = ["missing", "modified", "unexpected", "unmanaged", "expiring"] as const;

/**
 * What kind of drift it is. `modified`: fields differ; `missing`: a manifest has no live resource; `unexpected`: the
 * stack owns a live resource that no manifest describes; `unmanaged`: nobody owns it; `expiring`: a certificate that
 * ends soon.
 */
export type FindingType = (typeof findingTypes)[number];

/** One way in which live and manifests differ. */
export interface Finding {
  /** `TLSEdge/api`; for what has no name here, `TLSEdge/<id>`. */
  readonly address: string;
  readonly id: string | null;
  readonly type: FindingType;
  /** As in a plan: `before` is live, `after` is what the manifest says. */
  readonly fields: readonly FieldChange[];
  /** The manifest's place, when there is one. */
  readonly source: { readonly file: string; readonly line: number } | null;
  readonly message: string;
  readonly impact: Impact;
}

/** What `drift` found, as data (schemas/drift.schema.json). */
export interface Drift {
  readonly format: "edgewise.drift/v1";
  readonly stack: string;
  readonly baseUrl: string;
  readonly toolVersion: string;
  /** Whether there are no findings. */
  readonly clean: boolean;
  readonly findings: readonly Finding[];
  readonly warnings: readonly Warning[];
}
