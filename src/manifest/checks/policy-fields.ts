import type { Field } from "../../kinds/kind.js";
import { documentOf } from "../../kinds/policy/policy-codec.js";
import type { DocumentPath } from "../../document-path.js";
import type { ParsedManifest } from "../parsed-manifest.js";
import { namedFile } from "../resolve-spec.js";
import { policiesOf, specValueAt } from "../spec-fields.js";

/** A traffic policy of a manifest: an object in the manifest, a JSON text, or the content of a file. */
export interface PolicyField {
  /** Of the field in the document. */
  readonly path: DocumentPath;
  /** As its kind declares it. */
  readonly field: Field;
  readonly value: unknown;
  /** The file that the manifest names for it. */
  readonly file: string | null;
  /** Whether it is an object in the manifest. */
  readonly isInline: boolean;
}

/** Several checks ask for them. */
const found = new WeakMap<ParsedManifest, readonly PolicyField[]>();

/** The traffic policies that a manifest has. */
export function policyFieldsOf(manifest: ParsedManifest): readonly PolicyField[] {
  let fields = found.get(manifest);
  if (fields === undefined) found.set(manifest, (fields = findPolicies(manifest)));
  return fields;
}

function findPolicies({ kind, spec, value }: ParsedManifest): readonly PolicyField[] {
  return policiesOf(kind).flatMap(({ field, path }) => {
    const policy = specValueAt(spec, path);
    if (policy === undefined || policy === null) return [];
    const written = specValueAt(value["spec"], path);
    const file = namedFile(written);
    const isInline = typeof written === "object" && file === null;
    return [{ path: ["spec", ...path], field, value: policy, file, isInline }];
  });
}

/** The policy as an object; undefined for a text that is not JSON. */
export function policyDocument({ value }: PolicyField): unknown {
  return typeof value === "string" ? documentOf(value) : value;
}

/** The path of something inside a policy. Problems inside a file or a text are shown at the whole field. */
export function pathInPolicy({ isInline, path }: PolicyField, inside: DocumentPath): DocumentPath {
  return isInline ? [...path, ...inside] : path;
}
