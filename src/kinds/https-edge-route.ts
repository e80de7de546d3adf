import { edgeOfRoutes, plain, ref, secretText, textMember } from "./codecs.js";
import { policyModule } from "./edge-modules.js";
import { enabled, field, moduleField } from "./fields.js";
import { isOn, routing, security } from "./impact.js";
import { defineKind } from "./kind.js";

export const httpsEdgeRoute = defineKind({
  kind: "HTTPSEdgeRoute",
  title: "HTTPS edge route",
  collection: null,
  path: (id, spec) => `/edges/https/${encodeURIComponent(textMember(spec["edge"], "id") ?? "")}/routes/${id}`,
  belongsTo: (spec) => textMember(spec["edge"], "id"),
  fields: {
    edge: field({ codec: ref(edgeOfRoutes), write: "never" }),
    webhook_verification: moduleField({
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
    traffic_policy: policyModule({ phases: /^on_tcp_connect$/u, owner: "TLS edges" }, { unset: "inherit" }),
  },
  defaults: { deletion: "orphan", replaced: "orphan" },
});
