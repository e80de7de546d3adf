import type { Code } from "../diagnostics/codes.js";
import type { DocumentPlace } from "../diagnostics/diagnostic.js";
import type { SecretMask } from "../diagnostics/hide-secrets.js";
import type { DocumentPath } from "../document-path.js";
import type { ValueObject } from "../json.js";
import type { Address, KindName } from "../kinds/names.js";
import type { LoadOptions } from "./load-options.js";

/**
 * A manifest while it is checked. It may break its schema: whatever looks into it must expect any shape.
 */
export interface ParsedManifest {
  readonly file: string;
  readonly document: DocumentPlace;
  readonly kind: KindName;
  readonly name: string;
  readonly address: Address;
  /** The document with variables substituted. */
  readonly value: { readonly [member: string]: unknown };
  /** Its `spec` with content files read and secrets wrapped; what could not be had is null. */
  readonly spec: ValueObject;
  /** Hides the document's secrets in what is reported about it. */
  readonly mask: SecretMask;
  /** Paths (as JSON) that something is known to be wrong with: one problem for each is enough. */
  readonly blamed: ReadonlySet<string>;
  /** Whether its schema and everything that it names are fine. */
  readonly sound: boolean;
}

/** What a check says about a subject. The path goes into the document as it is written. */
export interface ManifestProblem {
  readonly code: Code;
  readonly message: string;
  readonly remedy?: string;
  readonly path: DocumentPath;
  readonly at?: "key" | "value";
  /** The place shows a secret. */
  readonly sensitive?: boolean;
}

/** Takes a finding. */
export type ReportProblem = (finding: ManifestProblem) => void;

/** Looks at one manifest. It may break its schema, so every shape must be expected. */
export type ManifestCheck = (subject: ParsedManifest, find: ReportProblem, options: LoadOptions) => void;

/** Looks at all manifests together; `find` is told which one it is about. */
export type StackCheck = (
  subjects: readonly ParsedManifest[],
  find: (subject: ParsedManifest) => ReportProblem,
  options: LoadOptions,
) => void;
