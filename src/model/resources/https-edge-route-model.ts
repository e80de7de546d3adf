import { filledText, text } from "../read-body.js";
import { Rejection } from "../request.js";
import { type ModuleModel, moduleOf } from "../resource-model.js";
import { readTrafficPolicy } from "./tls-edge-model.js";

const readWebhookVerification = moduleOf(
  { provider: { read: filledText }, secret: { read: text(), unset: () => "" } },
  ({ provider, secret }, at, { world }) => {
    if (world.options.knownValuesOnly && !/^[A-Z][A-Z0-9_]*$/.test(String(provider)))
      throw new Rejection("value-invalid", `${at("provider")} must be an upper-case name.`);
    if (secret === "" && provider !== "SNS")
      throw new Rejection("member-missing", `${at("secret")} is needed: ${String(provider)} signs with a secret.`);
  },
);

export const httpsEdgeRouteModel: ModuleModel = {
  path: "/edges/https/{edge}/routes/{route}",
  modules: {
    webhook_verification: { title: "webhook verification", read: readWebhookVerification },
    traffic_policy: { title: "traffic policy", read: readTrafficPolicy },
  },
};
