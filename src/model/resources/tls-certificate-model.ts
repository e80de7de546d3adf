import { filledText, readObject } from "../read-body.js";
import { Rejection } from "../request.js";
import { type ResourceModel, descriptionText, metadataText, namedTexts, storedText } from "../resource-model.js";

/** The private key is checked and not kept. */
export const tlsCertificateModel: ResourceModel = {
  create(json, context) {
    const shape = {
      description: descriptionText,
      metadata: metadataText,
      certificate_pem: filledText,
      private_key_pem: filledText,
    };
    const body = readObject(json, "", shape, ["certificate_pem", "private_key_pem"]);
    const described = context.env.certificate(body.certificate_pem, body.private_key_pem);
    if ("error" in described) throw new Rejection(400, "certificate-invalid", described.error);
    return {
      description: storedText(body.description, context),
      metadata: storedText(body.metadata, context),
      certificate_pem: body.certificate_pem,
      ...described.facts,
      issued_at: null,
    };
  },
  update: (json, _before, context) =>
    namedTexts(readObject(json, "", { description: descriptionText, metadata: metadataText }), context),
  keys: () => [],
};
