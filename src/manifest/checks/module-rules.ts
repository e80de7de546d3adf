import { isObject } from "../../json.js";
import { kinds } from "../../kinds/registry.js";
import { modulesThatReadTraffic } from "../../kinds/tls-edge.js";
import type { ManifestCheck } from "../parsed-manifest.js";

/** With `terminate_at: upstream` there is no minimum version, and most other modules are disallowed. */
export const upstream: ManifestCheck = ({ kind, spec }, find) => {
  const termination = spec["tls_termination"];
  if (!isObject(termination) || termination["terminate_at"] !== "upstream") return;
  if ((termination["min_version"] ?? null) !== null) {
    const message = "min_version must be null when terminate_at is upstream: the service does not see the handshake";
    find({ code: "upstream-min-version", message, path: ["spec", "tls_termination", "min_version"] });
  }
  for (const [name, field] of Object.entries(kinds[kind].fields)) {
    if (field.module === undefined || name === "tls_termination" || !isObject(spec[name])) continue;
    const path = ["spec", name];
    if (modulesThatReadTraffic.includes(name)) {
      const message = `${name} can't stand beside terminate_at: upstream, which passes the traffic through unread`;
      find({ code: "upstream-module", message, path, at: "key" });
    } else {
      const message = `${name} stands beside terminate_at: upstream, with which the service disallows most modules`;
      find({ code: "upstream-module-doubtful", message, path, at: "key" });
    }
  }
};

/** The one provider that signs without a shared secret (field practice: the cloud notification service). */
const withoutSecret = "SNS";

/** Specification, "Webhook verification rules": upper-case provider, and a secret for every one but SNS. */
export const webhooks: ManifestCheck = ({ spec, value }, find) => {
  const module = spec["webhook_verification"];
  if (!isObject(module)) return;
  const { provider } = module;
  if (typeof provider !== "string" || provider === "") return;
  const path = ["spec", "webhook_verification"];
  const upper = provider.toUpperCase();
  if (provider !== upper) {
    const message = `the provider ${JSON.stringify(provider)} is not in upper case`;
    find({ code: "webhook-provider", message, remedy: `Write ${upper}.`, path: [...path, "provider"] });
  }
  // The document, not the spec: a secret that is refused is no missing one.
  const written = isObject(value["spec"]) ? value["spec"]["webhook_verification"] : null;
  const secret = isObject(written) ? written["secret"] : null;
  if (upper !== withoutSecret && (secret ?? null) === null) {
    find({
      code: "webhook-secret",
      message: `the provider ${upper} needs a secret; only ${withoutSecret} does without`,
      path: [...path, "secret"],
    });
  }
};
