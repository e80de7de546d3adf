/** What is known of one member, in words. */
export interface MemberLine {
  readonly name: string;
  readonly required: boolean;
  readonly type: string;
  readonly description: string;
}

/** The documentation of a kind or field. */
export interface Explanation {
  /** In full: `TLSEdge.spec.tls_termination.min_version`. */
  readonly path: string;
  readonly title: string;
  readonly description: string;
  /** Label and text, in the order in which they are shown. */
  readonly facts: readonly (readonly [label: string, text: string])[];
  readonly members: readonly MemberLine[];
  /** Lines of YAML. */
  readonly examples: readonly string[];
}
