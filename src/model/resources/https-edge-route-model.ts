import { memberPath, readTrafficPolicy } from "../edge-modules.js";
import { filledText, flag, readObject, text } from "../read-body.js";
import { Rejection } from "../request.js";
import type { ModuleModel, ModuleReader } from "../resource-model.js";

/** The secret is kept, and GET returns it in clear. */
const readWebhookVerification: ModuleReader = (value, at, { world }) => {
  const body = readObject(value, at, { enabled: flag, provider: filledText, secret: text() }, ["provider"]);
  if (world.options.knownValuesOnly && !/^[A-Z][A-Z0-9_]*$/.test(body.provider)) {
    throw new Rejection(400, "value-invalid", `${memberPath(at, "provider")} must be an upper-case name.`);
  }
  const secret = body.secret ?? "";
  if (secret === "" && body.provider !== "SNS") {
    const place = memberPath(at, "secret");
    throw new Rejection(
      400,
      "member-missing",
      `${place} is needed: the provider ${body.provider} signs with a secret.`,
    );
  }
  return { enabled: body.enabled ?? true, provider: body.provider, secret };
};

export const httpsEdgeRouteModel: ModuleModel = {
  path: "/edges/https/{edge}/routes/{route}",
  modules: {
    webhook_verification: { title: "webhook verification", read: readWebhookVerification },
    traffic_policy: { title: "traffic policy", read: readTrafficPolicy },
  },
};
