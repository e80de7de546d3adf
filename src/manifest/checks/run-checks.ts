import { placeInDocument } from "../../diagnostics/diagnostic.js";
import type { Problems } from "../../diagnostics/problems.js";
import type { LoadOptions } from "../load-options.js";
import type { ManifestCheck, ParsedManifest, ReportProblem, StackCheck } from "../parsed-manifest.js";
import { certificates } from "./certificates.js";
import { danglingReferences } from "./dangling-references.js";
import { duplicateHostports, hostportSyntax } from "./hostports.js";
import { headerNames, metadataSize } from "./metadata-and-headers.js";
import { upstream, webhooks } from "./module-rules.js";
import { adoptedIds, duplicateIds, duplicateNames, previousNames } from "./names-and-ids.js";
import { maskedSecrets, policySecrets, secretFiles, secretsAvailable } from "./secret-values.js";
import { trafficPolicies } from "./traffic-policies.js";

const manifestChecks: readonly ManifestCheck[] = [
  hostportSyntax,
  headerNames,
  metadataSize,
  adoptedIds,
  upstream,
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
];

/** Everything that a schema can't see in one manifest. */
export function checkManifest(subject: ParsedManifest, options: LoadOptions, problems: Problems): void {
  for (const check of manifestChecks) check(subject, reporterFor(subject, problems), options);
}

/** Everything that only shows when all manifests are looked at together, one check after the other with pauses. */
export function* checkStack(
  subjects: readonly ParsedManifest[],
  options: LoadOptions,
  problems: Problems,
): Generator<undefined, void> {
  for (const check of stackChecks) {
    check(subjects, (subject) => reporterFor(subject, problems), options);
    yield;
  }
}

function reporterFor({ address, blamed, document, file, mask }: ParsedManifest, problems: Problems): ReportProblem {
  return ({ path, at, ...problem }) => {
    if (blamed.has(JSON.stringify(path))) return;
    problems.add({ ...mask.hideIn(problem), address, place: placeInDocument(file, document, path, at) });
  };
}
