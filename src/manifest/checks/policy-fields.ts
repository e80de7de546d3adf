import { documentOf } from "../../kinds/policy/policy-codec.js";
import type { DocumentPath } from "../../core/document-path.js";
import type { ParsedManifest, PolicyField } from "../parsed-manifest.js";
import { namedFile } from "../resolve-spec.js";
import { policiesOf, specValueAt } from "../spec-fields.js";

const none: readonly never[] = [];

/** The traffic policies that a manifest has. */
export function policyFieldsOf({ kind, spec, value }: ParsedManifest): readonly PolicyField[] {
  let found: PolicyField[] | null = null;
  for (const { field, inDocument, path } of policiesOf(kind)) {
    const policy = specValueAt(spec, path);
    if (policy === undefined || policy === null) continue;
    const written = specValueAt(value["spec"], path);
    const file = namedFile(written);
    const isInline = typeof written === "object" && file === null;
    (found ??= []).push({ path: inDocument, field, value: policy, file, isInline });
  }
  return found ?? none;
}

/** The policy as an object; undefined for a text that is not JSON. */
export function policyDocument({ value }: PolicyField): unknown {
  return typeof value === "string" ? documentOf(value) : value;
}

/** The path of something inside a policy. Problems inside a file or a text are shown at the whole field. */
export function pathInPolicy({ isInline, path }: PolicyField, inside: DocumentPath): DocumentPath {
  return isInline ? [...path, ...inside] : path;
}
