import { parsePolicy } from "../../kinds/codecs/policy.js";
import { pathInWords, type PolicyPath } from "../../kinds/policy/map-secrets.js";
import { isSecretLabel } from "../../secret-label.js";
import { MASK, Secret } from "../../secret.js";
import { namedFile } from "../content-field.js";
import { specFieldsOf, specValueAt } from "../special-fields.js";
import type { ManifestCheck } from "./check.js";

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
  return policy.includes("secret") || policy.includes("\\u") ? (parsePolicy(policy) ?? policy) : null;
}

function labelsIn(value: unknown, path: PolicyPath = []): readonly PolicyPath[] {
  if (typeof value === "string") return isSecretLabel(value) ? [path] : [];
  if (typeof value !== "object" || value === null || value instanceof Secret) return [];
  if (Array.isArray(value)) return value.flatMap((item, index) => labelsIn(item, [...path, index]));
  return Object.entries(value).flatMap(([member, part]) => labelsIn(part, [...path, member]));
}
