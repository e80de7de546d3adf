import { filledText } from "../read-body.js";
import { Rejection } from "../request.js";
import { type ResourceModel, textMember } from "../resource-model.js";

/** The key is checked and not kept. */
export const tlsCertificateModel: ResourceModel = {
  members: {
    description: textMember(255),
    metadata: textMember(4096),
    certificate_pem: { read: filledText, only: "POST" },
    private_key_pem: { as: null, read: filledText, only: "POST" },
  },
  made({ certificate_pem, private_key_pem }, { env }) {
    const described = env.certificate(String(certificate_pem), String(private_key_pem));
    if ("error" in described) throw new Rejection("certificate-invalid", described.error);
    return { ...described.facts, issued_at: null };
  },
};
