import type { LoadOptions } from "../load-options.js";
import type { ReportProblem, ParsedManifest } from "../subject.js";

/** Looks at one manifest. It may break its schema, so every shape must be expected. */
export type ManifestCheck = (subject: ParsedManifest, find: ReportProblem, options: LoadOptions) => void;

/** Looks at all manifests together; `find` is told which one it is about. */
export type StackCheck = (
  subjects: readonly ParsedManifest[],
  find: (subject: ParsedManifest) => ReportProblem,
  options: LoadOptions,
) => void;
