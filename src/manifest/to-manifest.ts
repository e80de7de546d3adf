import type { TLSEdge } from "../generated/manifest-types.js";
import { specFromManifest } from "../kinds/normal-form.js";
import { kinds } from "../kinds/registry.js";
import { manifestFingerprint } from "./fingerprint.js";
import type { Manifest } from "./manifest.js";
import type { ParsedManifest } from "./subject.js";

/** What all kinds share, in its widest form. */
type SharedMembers = Pick<TLSEdge, "metadata" | "lifecycle">;

/**
 * The manifest of a sound subject.
 * @param line of the first thing that its document says
 * @param adopted the id that the configuration has for its address
 */
export function toManifest(subject: ParsedManifest, line: number, adopted: string | undefined): Manifest {
  const { address, file, kind, name, spec } = subject;
  // A sound subject is valid by its schema.
  const { lifecycle, metadata } = subject.value as SharedMembers;
  const { deletion, ignore, replaced } = lifecycle ?? {};
  let known: string | undefined;
  return {
    kind,
    name,
    address,
    source: { file, line },
    labels: labelsFrom(metadata.labels),
    id: metadata.id ?? adopted ?? null,
    previousNames: metadata.previousNames ?? [],
    lifecycle: {
      ...(deletion === undefined || deletion === null ? {} : { deletion }),
      ...(replaced === undefined || replaced === null ? {} : { replaced }),
      ignore: ignore ?? [],
    },
    spec,
    // Only asked of manifests whose secrets a plan binds, and dear for all. In normal form every secret is wrapped,
    // those that stand in a policy in clear among them.
    get fingerprint() {
      return (known ??= manifestFingerprint({
        kind,
        metadata,
        lifecycle: lifecycle ?? {},
        spec: specFromManifest(kinds[kind], spec),
      }));
    },
  };
}

function labelsFrom(labels: SharedMembers["metadata"]["labels"]): { readonly [label: string]: string } {
  return Object.fromEntries(
    Object.entries(labels ?? {}).flatMap(([label, text]) => (text === undefined ? [] : [[label, text]])),
  );
}
