import { filledText, flag, readObject, text } from "../read-body.js";
import { Rejection } from "../rejection.js";
import { memberPath } from "./edge-module.js";
import type { ModuleReader } from "./edge-module.js";

/** Webhook verification of an HTTPS edge route. The secret is kept, and GET returns it in clear. */
export const readWebhookVerification: ModuleReader = (value, at, { world }) => {
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
