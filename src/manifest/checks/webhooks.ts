import { isObject } from "../../json.js";
import type { ManifestCheck } from "./check.js";

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
