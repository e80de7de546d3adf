import type { DocumentPath } from "../core/document-path.js";
import type { ValueObject } from "../core/json.js";
import type { DocumentPlace, Problem } from "../diagnostics/diagnostic.js";
import type { Deletion, Replaced } from "../kinds/kind.js";
import type { Address, KindName } from "../kinds/names.js";
import type { LoadOptions } from "./load-run.js";

/** One resource as its valid manifest describes it, with variables substituted, content files read and secrets wrapped. */
export type Manifest = Readonly<{
  kind: KindName;
  name: string;
  address: Address;
  /** `file` is relative to the root, with `/`; lines and columns start at 1. */
  source: Readonly<{ file: string; line: number; column?: number }>;
  labels: { readonly [label: string]: string };
  /** `metadata.id`, or the id for this address under `adopt` in the configuration. */
  id: string | null;
  previousNames: readonly string[];
  lifecycle: Readonly<{
    deletion?: Deletion;
    replaced?: Replaced;
    /** Paths like `spec.tls_termination.min_version`. */
    ignore: readonly string[];
  }>;
  /** Members that the manifest leaves out are absent, `null` is kept. */
  spec: ValueObject;
}>;

/** It may break its schema, and have any shape. */
export type ParsedManifest = Pick<Manifest, "kind" | "name" | "address"> &
  Readonly<{
    file: string;
    line: number;
    document: DocumentPlace;
    /** `metadata.id`; `adopted` is from the configuration. */
    id: string | null;
    adopted: string | null;
    previousNames: readonly unknown[];
    value: { readonly [member: string]: unknown };
    /** With files read and secrets wrapped; null = could not be read. */
    spec: ValueObject;
    /** As JSON; checks report nothing more of them. */
    reportedPaths: ReadonlySet<string>;
    valid: boolean;
  }>;

export type ManifestProblem = Omit<Problem, "place" | "address"> &
  Readonly<{
    path: DocumentPath;
    at?: "key" | "value";
  }>;

export type ReportProblem = (problem: ManifestProblem) => void;

export type ManifestCheck = (manifest: ParsedManifest, report: ReportProblem, options: LoadOptions) => void;

/** `tracked`: the secret files that Git tracks. */
export type StackCheck = (
  manifests: readonly ParsedManifest[],
  report: (manifest: ParsedManifest, problem: ManifestProblem) => void,
  options: LoadOptions & { readonly tracked?: ReadonlySet<string> },
) => void;

type Written<T> = { readonly [member in keyof T]?: T[member] | null };

type SharedMembers = Readonly<{
  metadata?: Written<Pick<Manifest, "labels" | "previousNames">>;
  lifecycle?: Written<Manifest["lifecycle"]> | null;
}>;

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
