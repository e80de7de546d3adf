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
import { danglingReferences } from "./dangling-references.js";
import { duplicateClaims } from "./duplicate-claims.js";
import { duplicateHostports, hostportSyntax } from "./hostports.js";
import { headerNames, metadataMarker, metadataSize } from "./metadata-and-headers.js";
import { emptyLists, upstream, webhooks } from "./module-rules.js";
import { adoptedIds, duplicateIds, duplicateNames, previousNames } from "./names-and-ids.js";
import { policyFieldsOf } from "./policy-fields.js";
import { ownIdKind, referenceKinds } from "./reference-kinds.js";
import { maskedSecrets, policySecrets, secretFiles, secretTexts, secretsAvailable } from "./secret-values.js";
import { trafficPolicies } from "./traffic-policies.js";

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
  return ({ path, at, elsewhere, ...problem }) => {
    if (reportedPaths.has(JSON.stringify(path))) return;
    const place = elsewhere ?? placeInDocument(file, document, path, at);
    problems.add({ ...problem, address, place });
  };
}
