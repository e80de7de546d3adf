import { filledText } from "./codecs.js";
import { termination } from "./edge-modules.js";
import { enabled, field, moduleField } from "./fields.js";
import { defineKind } from "./kind.js";

/** Only responses have `terminate_at`. */
export const httpsEdge = defineKind({
  kind: "HTTPSEdge",
  title: "HTTPS edge",
  terraformTypes: ["edge_https"],
  collection: null,
  path: (id) => `/edges/https/${id}`,
  fields: {
    tls_termination: moduleField({
      unset: "inherit",
      members: { enabled, min_version: field({ codec: filledText, unset: "inherit" }) },
      impact: termination,
    }),
  },
  defaults: { deletion: "orphan", replaced: "orphan" },
});
