import type { Problem, DocumentPlace } from "../diagnostics/diagnostic.js";
import type { DocumentPath } from "../core/document-path.js";
import type { ValueObject } from "../core/json.js";
import type { Address, KindName } from "../kinds/names.js";
import type { LoadOptions } from "./load-options.js";

/** A manifest while it is checked. It may break its schema: code that looks into it must expect any shape. */
export interface ParsedManifest {
  readonly file: string;
  /** The line of the document's first key. */
  readonly line: number;
  readonly document: DocumentPlace;
  readonly kind: KindName;
  readonly name: string;
  readonly address: Address;
  /** `metadata.id`; null when it is absent or not a text. */
  readonly id: string | null;
  /** `metadata.previousNames`; the items may have any type. */
  readonly previousNames: readonly unknown[];
  /** The document with variables substituted. */
  readonly value: { readonly [member: string]: unknown };
  /** Its `spec` with content files read and secrets wrapped; values that could not be read are null. */
  readonly spec: ValueObject;
  /** Paths (as JSON) with an error that is already reported; checks report nothing more about them. */
  readonly reportedPaths: ReadonlySet<string>;
  /** Whether the schema and everything that the manifest names are fine. */
  readonly valid: boolean;
}

/** The id that the configuration's `adopt` has for an address; null = none. */
export function adoptedId(adopt: LoadOptions["adopt"], address: string): string | null {
  return Object.hasOwn(adopt, address) ? (adopt[address] ?? null) : null;
}

/** The id of the existing resource that a manifest describes; null = none is named. */
export function idOf({ address, id }: ParsedManifest, adopt: LoadOptions["adopt"]): string | null {
  return id ?? adoptedId(adopt, address);
}

/** A problem in a manifest. The path is the path in the document as it is written. */
export interface ManifestProblem extends Omit<Problem, "place" | "address"> {
  readonly path: DocumentPath;
  readonly at?: "key" | "value";
}

/** Takes the problems of one manifest. */
export type ReportProblem = (problem: ManifestProblem) => void;

/** Checks one manifest. */
export type ManifestCheck = (manifest: ParsedManifest, report: ReportProblem, options: LoadOptions) => void;

/** Checks all manifests together; `reportFor` takes the manifest that a problem belongs to. */
export type StackCheck = (
  manifests: readonly ParsedManifest[],
  reportFor: (manifest: ParsedManifest) => ReportProblem,
  options: LoadOptions & {
    /** The secret files that Git tracks, by absolute paths; absent = none is. */
    readonly tracked?: ReadonlySet<string>;
  },
) => void;
