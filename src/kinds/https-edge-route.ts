import { textMember } from "./codecs/reference-codecs.js";
import { plain, secretText } from "./codecs/value-codecs.js";
import { trafficPolicy } from "./edge-impacts.js";
import { edgeOfRoute, enabled, member, moduleField } from "./fields.js";
import { isOn, routing, security } from "./impact.js";
import { defineKind } from "./kind.js";
import { policy } from "./policy/policy-codec.js";

const absent = { value: null } as const;

export const httpsEdgeRoute = defineKind({
  kind: "HTTPSEdgeRoute",
  slug: "https-edge-route",
  title: "HTTPS edge route",
  terraformPart: { of: "HTTPSEdge", attributes: ["routes", "route"], spec: (id) => ({ edge: { id } }) },
  collection: null,
  path: (id, spec) => `/edges/https/${encodeURIComponent(textMember(spec["edge"], "id") ?? "")}/routes/${id}`,
  belongsTo: (spec) => textMember(spec["edge"], "id"),
  fields: {
    edge: edgeOfRoute,
    webhook_verification: moduleField({
      endpoint: true,
      unset: "inherit",
      members: {
        enabled,
        provider: member({ codec: plain, unset: absent }),
        secret: member({ codec: secretText, unset: absent, secret: true }),
      },
      impact: (before, after) => {
        if (isOn(before) && !isOn(after)) return security("webhooks are no longer verified");
        return isOn(before)
          ? security("webhooks are verified differently")
          : routing("webhooks that fail verification are refused");
      },
      impacts: ["routing", "security"],
    }),
    traffic_policy: moduleField({
      endpoint: true,
      unset: "inherit",
      members: {
        enabled,
        value: member({
          codec: policy,
          unset: absent,
          content: "policy",
          freeText: true,
          foreignPhases: { phases: /^on_tcp_connect$/u, owner: "TLS edges" },
        }),
      },
      impact: trafficPolicy,
      impacts: ["routing", "security"],
    }),
  },
  defaults: { deletion: "orphan", replaced: "orphan" },
  identifiedBy: [],
});
