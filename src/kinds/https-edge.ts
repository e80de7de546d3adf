import { plain } from "./codecs/value-codecs.js";
import { enabled, member, moduleField } from "./fields.js";
import { termination } from "./impacts.js";
import { defineKind } from "./kind.js";

/** Specification, "HTTPS edge module endpoints", TLS termination. `terminate_at` is response-only. */
export const httpsEdge = defineKind({
  kind: "HTTPSEdge",
  slug: "https-edge",
  title: "HTTPS edge",
  collection: null,
  path: (id) => `/edges/https/${id}`,
  fields: {
    tls_termination: moduleField({
      endpoint: true,
      unset: "inherit",
      members: { enabled, min_version: member({ codec: plain, unset: "inherit" }) },
      impact: termination,
    }),
  },
  defaults: { deletion: "orphan", replaced: "orphan" },
});
