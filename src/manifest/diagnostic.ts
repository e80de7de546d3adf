/** One problem found in manifests or configuration, before any request. */
export interface Diagnostic {
  readonly severity: "error" | "warning";
  /** Stable, listed in docs/diagnostics.md. */
  readonly code: string;
  /** What is wrong and why. Never holds a secret. */
  readonly message: string;
  /** What to do about it. */
  readonly remedy: string | null;
  /** Relative to the root. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** `TLSEdge/api`, when the resource is known. */
  readonly address: string | null;
  /** The source line that `line` and `column` point into (cut to a sane width), for the caret; absent when secret. */
  readonly excerpt?: string;
}
