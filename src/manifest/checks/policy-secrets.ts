import type { Json } from "../../json.js";
import { parsePolicy } from "../../kinds/codecs/policy.js";
import { mapSecrets, pathInWords } from "../../kinds/policy/map-secrets.js";
import type { PolicyPath } from "../../kinds/policy/map-secrets.js";
import type { Value } from "../../kinds/value.js";
import { isSecretLabel } from "../../secret-label.js";
import { Secret } from "../../secret.js";
import { namedFile } from "../content-field.js";
import { specFieldsOf, specValueAt } from "../special-fields.js";
import type { ManifestCheck } from "./check.js";

/** Configuration may look like a source: `metadata: {env: prod}`. */
const unavailableRemedy =
  "Make it available where apply runs. If this is configuration of the policy itself, write the policy as a JSON text, or in a file.";

/** Secrets in traffic policies come from the environment or a file, and can be read here when they are looked at. */
export const policySecrets: ManifestCheck = ({ kind, spec, value }, find, { deep }) => {
  for (const place of specFieldsOf(kind)) {
    if (place.form !== "policy") continue;
    const policy = specValueAt(spec, place.path);
    const document = typeof policy === "string" ? parsePolicy(policy) : policy;
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
