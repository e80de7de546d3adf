import { setImmediate } from "node:timers/promises";
import { placeInDocument } from "../../diagnostics/diagnostic.js";
import type { Problems } from "../../diagnostics/problems.js";
import type { LoadOptions } from "../load-run.js";
import type { ManifestCheck, ManifestProblem, ParsedManifest, StackCheck } from "../manifest.js";
import { fieldRules } from "./field-rules.js";
import { trafficPolicies } from "./policies.js";
import { danglingReferences, ownId, referenceKinds, unique } from "./names.js";
import { maskedSecrets, policySecrets, secrets, trackedSecrets } from "./secret-rules.js";

const manifestChecks: readonly ManifestCheck[] = [
  ...fieldRules,
  referenceKinds,
  ownId,
  trafficPolicies,
  policySecrets,
  maskedSecrets,
];

const stackChecks: readonly StackCheck[] = [unique, danglingReferences, secrets];

type ProblemSink = Pick<Problems, "add">;

export function checkManifest(manifest: ParsedManifest, options: LoadOptions, problems: ProblemSink): void {
  for (const check of manifestChecks) check(manifest, (problem) => addTo(problems, manifest, problem), options);
}

export async function checkStack(
  manifests: readonly ParsedManifest[],
  options: LoadOptions,
  problems: ProblemSink,
): Promise<void> {
  const tracked = await trackedSecrets(manifests, options);
  for (const check of stackChecks) {
    // Requests under way have their turn.
    await setImmediate();
    check(manifests, (manifest, problem) => addTo(problems, manifest, problem), { ...options, tracked });
  }
}

function addTo(problems: ProblemSink, manifest: ParsedManifest, { path, at, ...problem }: ManifestProblem): void {
  const { address, document, file, reportedPaths } = manifest;
  if (reportedPaths.has(JSON.stringify(path))) return;
  problems.add({ ...problem, address, place: placeInDocument(file, document, path, at) });
}
