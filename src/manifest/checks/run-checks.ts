import { setImmediate } from "node:timers/promises";
import { placeInDocument } from "../../diagnostics/diagnostic.js";
import type { Problems } from "../../diagnostics/problems.js";
import type { LoadOptions } from "../load-options.js";
import type { ManifestCheck, ParsedManifest, ReportProblem, StackCheck } from "../parsed-manifest.js";
import { certificates } from "./certificates.js";
import { emptyLists, headerNames, metadataMarker, metadataSize, upstream, webhooks } from "./field-rules.js";
import { hostportSyntax } from "./hostports.js";
import { trafficPolicies } from "./policies.js";
import { danglingReferences, ownIdKind, referenceKinds } from "./references.js";
import { maskedSecrets, policySecrets, secretFiles, secretTexts, secretsAvailable } from "./secret-rules.js";
import { adoptedIds, duplicateHostports, duplicateIds, duplicateNames, previousNames } from "./unique.js";

const manifestChecks: readonly ManifestCheck[] = [
  hostportSyntax,
  headerNames,
  metadataMarker,
  metadataSize,
  referenceKinds,
  adoptedIds,
  ownIdKind,
  upstream,
  emptyLists,
  certificates,
  webhooks,
  trafficPolicies,
  policySecrets,
  maskedSecrets,
  secretsAvailable,
];

const stackChecks: readonly StackCheck[] = [
  duplicateNames,
  duplicateIds,
  duplicateHostports,
  danglingReferences,
  previousNames,
  secretFiles,
  secretTexts,
];

type ProblemSink = Pick<Problems, "add">;

/** Checks the rules of one manifest that no schema can state. */
export function checkManifest(manifest: ParsedManifest, options: LoadOptions, problems: ProblemSink): void {
  const report = reporterFor(manifest, problems);
  for (const check of manifestChecks) check(manifest, report, options);
}

/** Checks what only shows when all manifests are compared. Requests that are under way have their turn between checks. */
export async function checkStack(
  manifests: readonly ParsedManifest[],
  options: Parameters<StackCheck>[2],
  problems: ProblemSink,
): Promise<void> {
  for (const check of stackChecks) {
    await setImmediate();
    check(manifests, (manifest) => reporterFor(manifest, problems), options);
  }
}

function reporterFor({ address, document, file, reportedPaths }: ParsedManifest, problems: ProblemSink): ReportProblem {
  return ({ path, at, ...problem }) => {
    if (reportedPaths.has(JSON.stringify(path))) return;
    problems.add({ ...problem, address, place: placeInDocument(file, document, path, at) });
  };
}
