import { type Json, type Value, isObject } from "../../json.js";
import { type PolicyPath, mapSecrets, pathInWords } from "../../kinds/policy/find-secrets.js";
import { documentOf } from "../../kinds/policy/policy-codec.js";
import { MASK, Secret, isSecretLabel } from "../../secret.js";
import type { ManifestCheck, StackCheck } from "../parsed-manifest.js";
import { namedFile } from "../resolve-spec.js";
import { secretPath } from "../secret-fields.js";
import { specFieldsOf, specValueAt } from "../spec-fields.js";

/** Secrets can be read here, when they are looked at at all. */
export const secretsAvailable: ManifestCheck = ({ kind, spec }, find, { deep }) => {
  if (!deep) return;
  for (const { field, path } of specFieldsOf(kind)) {
    if (field.secret !== true) continue;
    const value = specValueAt(spec, path);
    if (!(value instanceof Secret) || value.missing === null) continue;
    find({ code: "secret-unavailable", message: value.missing, path: ["spec", ...path] });
  }
};

/** Others can read a file that holds a secret: said once for each file, however many manifests name it. */
export const secretFiles: StackCheck = (subjects, findFor, { tree }) => {
  const seen = new Set<string>();
  for (const subject of subjects) {
    const spec = subject.value["spec"];
    if (!isObject(spec)) continue;
    for (const { field, path } of specFieldsOf(subject.kind)) {
      const written = field.secret === true ? namedFile(specValueAt(spec, path)) : null;
      if (written === null) continue;
      const file = secretPath(tree, subject.file, written);
      if (seen.has(file)) continue;
      seen.add(file);
      const warning = tree.secretAccess?.(file).warning ?? null;
      if (warning === null) continue;
      findFor(subject)({ code: "secret-file-exposed", message: `"${written}" ${warning}`, path: ["spec", ...path] });
    }
  }
};

/**
 * What outputs and exports show in place of a secret is not sent as one. In a policy it is refused wherever it stands:
 * a secret may be one by its looks, under any name.
 */
export const maskedSecrets: ManifestCheck = ({ kind, spec, value }, find) => {
  for (const { field, form, path } of specFieldsOf(kind)) {
    const place = ["spec", ...path];
    const written = specValueAt(value["spec"], path);
    if (field.secret === true) {
      if (typeof written !== "string" || !isSecretLabel(written)) continue;
      find({ code: "masked-secret", message: `the secret is written as ${MASK}`, path: place });
    }
    if (form !== "policy") continue;
    const policy = specValueAt(spec, path);
    const file = namedFile(written);
    const where = file === null ? "the policy" : JSON.stringify(file);
    const inside = typeof written === "object" && file === null;
    for (const at of labelsIn(parsedPolicy(policy))) {
      const message = `${at.length === 0 ? "all" : pathInWords(at)} of ${where} is written as ${MASK}`;
      find({ code: "masked-secret", message, path: inside ? [...place, ...at] : place });
      // Inside a file or a text there is no place to point at but the whole.
      if (!inside) break;
    }
  }
};

function parsedPolicy(policy: unknown): unknown {
  if (typeof policy !== "string") return policy;
  // Most texts are ruled out by this. An escape may hide the parenthesis.
  return policy.includes("secret") || policy.includes("\\u") ? (documentOf(policy) ?? policy) : null;
}

function labelsIn(value: unknown, path: PolicyPath = []): readonly PolicyPath[] {
  if (typeof value === "string") return isSecretLabel(value) ? [path] : [];
  if (typeof value !== "object" || value === null || value instanceof Secret) return [];
  if (Array.isArray(value)) return value.flatMap((item, index) => labelsIn(item, [...path, index]));
  return Object.entries(value).flatMap(([member, part]) => labelsIn(part, [...path, member]));
}

/** Configuration may look like a source: `metadata: {env: prod}`. */
const unavailableRemedy =
  "Make it available where apply runs. If this is configuration of the policy itself, write the policy as a JSON text, or in a file.";

/** Secrets in traffic policies come from the environment or a file, and can be read here when they are looked at. */
export const policySecrets: ManifestCheck = ({ kind, spec, value }, find, { deep }) => {
  for (const place of specFieldsOf(kind)) {
    if (place.form !== "policy") continue;
    const policy = specValueAt(spec, place.path);
    const document = typeof policy === "string" ? documentOf(policy) : policy;
    if (document === undefined || document === null) continue;
    const path = ["spec", ...place.path];
    const written = specValueAt(value["spec"], place.path);
    const file = namedFile(written);
    const plain: PolicyPath[] = [];
    // A spec holds JSON and wrapped secrets.
    mapSecrets(document as Value, (secret, at, named) => {
      if (!(secret instanceof Secret)) {
        // A mask is no secret, and an error of its own.
        if (typeof secret !== "string" || !isSecretLabel(secret)) plain.push(at);
      } else if (deep && secret.missing !== null)
        find({
          code: "secret-unavailable",
          message: secret.missing,
          remedy: unavailableRemedy,
          path: [...path, ...at],
        });
      if (deep && secret instanceof Secret && !named) {
        const message = `${pathInWords(at)} of the policy takes a secret, and its name does not show that: a plan shows what is live there as soon as this manifest no longer names the source`;
        find({ code: "policy-secret-name", message, path: [...path, ...at] });
      }
      return secret;
    });
    const [first] = plain;
    if (first === undefined) continue;
    if (typeof written === "object" && file === null) {
      for (const at of plain) {
        const message = `${pathInWords(at)} of the policy holds a secret in clear`;
        find({ code: "policy-secret", message, path: [...path, ...at], sensitive: true });
      }
      continue;
    }
    const more = plain.length === 1 ? "" : ` (and ${plain.length - 1} more like it)`;
    const where = file === null ? "the policy" : JSON.stringify(file);
    const message = isSource(document, first)
      ? `${pathInWords(first)} of ${where} names the source of a secret${more}, which only a policy that is an object of the manifest can do; it is sent as it stands`
      : `${pathInWords(first)} of ${where} holds a secret in clear${more}`;
    const remedy = `Write the policy into the manifest as an object, with {env: NAME} or {file: path} in place of each secret; and change the secret if it is one: it may already be in the repository's history.`;
    find({ code: "policy-secret", message, remedy, path, sensitive: file === null });
  }
};

/** Whether a path ends in an object that would be a source in a manifest. */
function isSource(document: unknown, path: PolicyPath): boolean {
  const last = path.at(-1);
  if (last !== "env" && last !== "file") return false;
  let value = document as Json | undefined;
  for (const step of path.slice(0, -1)) value = Reflect.get(Object(value), step) as Json | undefined;
  return typeof value === "object" && value !== null && Object.keys(value).length === 1;
}
