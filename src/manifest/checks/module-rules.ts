import { isObject } from "../../core/json.js";
import { kinds } from "../../kinds/registry.js";
import type { ManifestCheck } from "../parsed-manifest.js";
import { fieldsWhere, specValueAt } from "../spec-fields.js";

/** With `terminate_at: upstream` the service accepts no minimum version, and rejects most other modules. */
export const upstream: ManifestCheck = ({ kind, spec }, report) => {
  const termination = spec["tls_termination"];
  if (!isObject(termination) || termination["terminate_at"] !== "upstream") return;
  if ((termination["min_version"] ?? null) !== null) {
    const message = "min_version must be null when terminate_at is upstream: the service does not see the handshake";
    report({ code: "upstream-min-version", message, path: ["spec", "tls_termination", "min_version"] });
  }
  for (const [name, field] of Object.entries(kinds[kind].fields)) {
    if (field.module === undefined || name === "tls_termination" || !isObject(spec[name])) continue;
    const path = ["spec", name];
    if (field.module.readsTraffic === true) {
      const message = `${name} can't be used with terminate_at: upstream, which passes the traffic through encrypted`;
      report({ code: "upstream-module", message, path, at: "key" });
    } else {
      const message = `${name} is used with terminate_at: upstream, for which the service rejects most modules`;
      report({ code: "upstream-module-doubtful", message, path, at: "key" });
    }
  }
};

/** Of some lists the service may want at least one item: told here, as nothing else finds out before it is sent. */
export const emptyLists: ManifestCheck = ({ kind, spec }, report) => {
  for (const { inDocument, path } of neverEmptyOf(kind)) {
    const value = specValueAt(spec, path);
    if (!Array.isArray(value) || value.length > 0) continue;
    const message = `${path.at(-1)} is empty, which the service may refuse`;
    report({ code: "empty-list", message, path: inDocument, at: "key" });
  }
};

const neverEmptyOf = fieldsWhere(({ wantsOne }) => wantsOne === true);

/** The only provider that signs without a shared secret. */
const withoutSecret = "SNS";

/** The service accepts only providers in upper case, and needs a secret for all of them except SNS. */
export const webhooks: ManifestCheck = ({ spec, value }, report) => {
  const module = spec["webhook_verification"];
  if (!isObject(module)) return;
  const { provider } = module;
  if (typeof provider !== "string" || provider === "") return;
  const path = ["spec", "webhook_verification"];
  const upper = provider.toUpperCase();
  if (provider !== upper) {
    const message = `the provider ${JSON.stringify(provider)} is not in upper case`;
    report({ code: "webhook-provider", message, remedy: `Write ${upper}.`, path: [...path, "provider"] });
  }
  // In the document, not in the spec: a secret that was refused is not missing.
  const written = isObject(value["spec"]) ? value["spec"]["webhook_verification"] : null;
  const secret = isObject(written) ? written["secret"] : null;
  if (upper !== withoutSecret && (secret ?? null) === null) {
    report({
      code: "webhook-secret",
      message: `the provider ${upper} needs a secret; only ${withoutSecret} does not`,
      path: [...path, "secret"],
    });
  }
};
