import { setImmediate } from "node:timers/promises";
import { placeInDocument } from "../../diagnostics/diagnostic.js";
import type { Problems } from "../../diagnostics/problems.js";
import type { LoadOptions } from "../load-options.js";
import type {
  ManifestCheck,
  ParsedManifest,
  ReportProblem,
  StackCheck,
  StackCheckOptions,
} from "../parsed-manifest.js";
import { certificates } from "./certificates.js";
import { emptyLists, headerNames, metadataMarker, metadataSize, upstream, webhooks } from "./field-rules.js";
import { hostportSyntax } from "./hostports.js";
import { policyFieldsOf, trafficPolicies } from "./policies.js";
import { danglingReferences, ownIdKind, referenceKinds } from "./references.js";
import { maskedSecrets, policySecrets, secretFiles, secretTexts, secretsAvailable } from "./secret-rules.js";
import {
  adoptedIds,
  duplicateClaims,
  duplicateHostports,
  duplicateIds,
  duplicateNames,
  previousNames,
} from "./unique.js";

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
  duplicateClaims,
  danglingReferences,
  previousNames,
  secretFiles,
  secretTexts,
];

/** Takes what is found. */
type ProblemSink = Pick<Problems, "add">;

/** Checks the rules of one manifest that no schema can state. */
export function checkManifest(manifest: ParsedManifest, options: LoadOptions, problems: ProblemSink): void {
  const report = reporterFor(manifest, problems);
  const policies = policyFieldsOf(manifest);
  for (const check of manifestChecks) check(manifest, report, options, policies);
}

/** Checks what only shows when all manifests are compared. Requests that are under way have their turn between checks. */
export async function checkStack(
  manifests: readonly ParsedManifest[],
  options: StackCheckOptions,
  problems: ProblemSink,
): Promise<void> {
  for (const begin of stackChecks) {
    await setImmediate();
    const check = begin(manifests, (manifest) => reporterFor(manifest, problems), options);
    if (check !== null) for (const manifest of manifests) check(manifest);
  }
}

function reporterFor(manifest: ParsedManifest, problems: ProblemSink): ReportProblem {
  const { address, document, file, reportedPaths } = manifest;
  return ({ path, at, ...problem }) => {
    if (reportedPaths.has(JSON.stringify(path))) return;
    const place = placeInDocument(file, document, path, at);
    problems.add({ ...problem, address, place });
  };
}
