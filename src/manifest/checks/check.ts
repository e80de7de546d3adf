import type { LoadOptions } from "../load-options.js";
import type { Find, Subject } from "../subject.js";

/** Looks at one manifest. It may break its schema, so every shape must be expected. */
export type ManifestCheck = (subject: Subject, find: Find, options: LoadOptions) => void;

/** Looks at all manifests together; `find` is told which one it is about. */
export type StackCheck = (subjects: readonly Subject[], find: (subject: Subject) => Find, options: LoadOptions) => void;
