import type { DocumentPath } from "../core/document-path.js";
import type { ValueObject } from "../core/json.js";
import type { DocumentPlace, Problem } from "../diagnostics/diagnostic.js";
import type { Deletion, Replaced } from "../kinds/kind.js";
import type { Address, KindName } from "../kinds/names.js";
import type { LoadOptions } from "./load-run.js";

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
    /** Paths like `spec.tls_termination.min_version`. */
    readonly ignore: readonly string[];
  };
  /** Members that the manifest leaves out are absent, `null` is kept. */
  readonly spec: ValueObject;
}

/** While it is checked: it may break its schema, and have any shape. */
export interface ParsedManifest extends Pick<Manifest, "kind" | "name" | "address"> {
  readonly file: string;
  readonly line: number;
  readonly document: DocumentPlace;
  /** `metadata.id`; `adopted` is the id under `adopt` in the configuration. */
  readonly id: string | null;
  readonly adopted: string | null;
  readonly previousNames: readonly unknown[];
  /** With variables substituted. */
  readonly value: { readonly [member: string]: unknown };
  /** With content files read and secrets wrapped; what could not be read is null. */
  readonly spec: ValueObject;
  /** Paths (as JSON) with a reported error, of which checks report nothing more. */
  readonly reportedPaths: ReadonlySet<string>;
  /** Whether the schema and everything that the manifest names are fine. */
  readonly valid: boolean;
}

/** The path is that in the document. */
export interface ManifestProblem extends Omit<Problem, "place" | "address"> {
  readonly path: DocumentPath;
  readonly at?: "key" | "value";
}

export type ReportProblem = (problem: ManifestProblem) => void;

export type ManifestCheck = (manifest: ParsedManifest, report: ReportProblem, options: LoadOptions) => void;

/** `tracked` are the secret files that Git tracks, by absolute paths. */
export type StackCheck = (
  manifests: readonly ParsedManifest[],
  report: (manifest: ParsedManifest, problem: ManifestProblem) => void,
  options: LoadOptions & { readonly tracked?: ReadonlySet<string> },
) => void;

type Written<T> = { readonly [member in keyof T]?: T[member] | null };

interface SharedMembers {
  readonly metadata?: Written<Pick<Manifest, "labels" | "previousNames">>;
  readonly lifecycle?: Written<Manifest["lifecycle"]> | null;
}

export function toManifest({ address, adopted, file, id, kind, line, name, spec, value }: ParsedManifest): Manifest {
  const { lifecycle, metadata } = value as SharedMembers;
  const { deletion, ignore, replaced } = lifecycle ?? {};
  return {
    kind,
    name,
    address,
    source: { file, line },
    labels: { ...metadata?.labels },
    id: id ?? adopted,
    previousNames: metadata?.previousNames ?? [],
    lifecycle: { ...(deletion ? { deletion } : {}), ...(replaced ? { replaced } : {}), ignore: ignore ?? [] },
    spec,
  };
}
