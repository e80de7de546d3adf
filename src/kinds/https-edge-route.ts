import { edgeOfRoutes, ref, textMember } from "./codecs/reference-codecs.js";
import { plain, secretText } from "./codecs/value-codecs.js";
import { trafficPolicy } from "./edge-impacts.js";
import { enabled, field, moduleField } from "./fields.js";
import { isOn, routing, security } from "./impact.js";
import { defineKind } from "./kind.js";
import { policy } from "./policy/policy-codec.js";

export const httpsEdgeRoute = defineKind({
  kind: "HTTPSEdgeRoute",
  slug: "https-edge-route",
  title: "HTTPS edge route",
  collection: null,
  path: (id, spec) => `/edges/https/${encodeURIComponent(textMember(spec["edge"], "id") ?? "")}/routes/${id}`,
  belongsTo: (spec) => textMember(spec["edge"], "id"),
  fields: {
    edge: field({ codec: ref(edgeOfRoutes), write: "never" }),
    webhook_verification: moduleField({
      endpoint: true,
      unset: "inherit",
      members: {
        enabled,
        provider: field({ codec: plain }),
        secret: field({ codec: secretText, secret: true }),
      },
      impact: (before, after) => {
        if (isOn(before) && !isOn(after)) return security("webhooks are no longer verified");
        return isOn(before)
          ? security("webhooks are verified differently")
          : routing("webhooks that fail verification are refused");
      },
    }),
    traffic_policy: moduleField({
      endpoint: true,
      unset: "inherit",
      members: {
        enabled,
        value: field({
          codec: policy,
          content: "policy",
          freeText: true,
          foreignPhases: { phases: /^on_tcp_connect$/u, owner: "TLS edges" },
        }),
      },
      impact: trafficPolicy,
    }),
  },
  defaults: { deletion: "orphan", replaced: "orphan" },
});
