import { codes } from "../../diagnostics/codes.js";
import { hiddenTexts, withoutHidden } from "../../diagnostics/hide-secrets.js";
import type { Problems } from "../../diagnostics/problems.js";
import type { LoadOptions } from "../load-options.js";
import type { ParsedManifest, ReportProblem } from "../subject.js";
import { adoptedIds } from "./adopted-ids.js";
import { certificates } from "./certificates.js";
import type { ManifestCheck, StackCheck } from "./check.js";
import { duplicateHostports } from "./duplicate-hostports.js";
import { duplicateIds } from "./duplicate-ids.js";
import { duplicateNames } from "./duplicate-names.js";
import { headerNames } from "./header-names.js";
import { hostportSyntax } from "./hostport-syntax.js";
import { maskedSecrets } from "./masked-secrets.js";
import { metadataSize } from "./metadata-size.js";
import { policySecrets } from "./policy-secrets.js";
import { previousNames } from "./previous-names.js";
import { danglingReferences } from "./references.js";
import { secretFiles } from "./secret-files.js";
import { secretsAvailable } from "./secrets-available.js";
import { trafficPolicies } from "./traffic-policies.js";
import { upstream } from "./upstream.js";
import { webhooks } from "./webhooks.js";

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

function reporterFor({ address, blamed, document, file, value }: ParsedManifest, problems: Problems): ReportProblem {
  return ({ path, at, message, remedy, ...finding }) => {
    if (blamed.has(JSON.stringify(path))) return;
    const hidden = hiddenTexts(value);
    problems.add({
      ...finding,
      message: withoutHidden(message, hidden, codes[finding.code].description),
      ...(remedy === undefined ? {} : { remedy: withoutHidden(remedy, hidden, codes[finding.code].remedy) }),
      address,
      place: { file, document, path, ...(at === undefined ? {} : { at }) },
    });
  };
}
