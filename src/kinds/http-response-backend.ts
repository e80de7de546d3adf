import { clearableText, headers, plain } from "./codecs.js";
import { field, unlimitedDescription, unlimitedMetadata } from "./fields.js";
import { noImpact, routing } from "./impact.js";
import { type Field, defineKind } from "./kind.js";

function answer(what: string, declared: Pick<Field, "codec"> & Partial<Field>): Field {
  return field({
    ...declared,
    impact: (_before, after, whole) => {
      if (whole.before === null) return noImpact;
      if (whole.after === null) return routing("the backend and its answer are gone");
      return routing(after === null ? `${what} is gone` : `${what} changes`);
    },
  });
}

export const httpResponseBackend = defineKind({
  kind: "HTTPResponseBackend",
  title: "HTTP response backend",
  idPrefix: "bkdhr_",
  terraformTypes: ["http_response_backend"],
  collection: { path: "/backends/http_response", member: "backends" },
  fields: {
    description: unlimitedDescription,
    metadata: unlimitedMetadata,
    status_code: answer("the status code of the answer", { codec: plain }),
    headers: answer("a header of the answer", { codec: headers, freeText: true }),
    body: answer("the body of the answer", {
      codec: clearableText,
      unset: { value: "" },
      content: "text",
      freeText: true,
    }),
  },
  identifiedBy: ["status_code"],
  hiddenReferrers: "HTTPS edges",
  lock: { status_code: 503, body: "Locked by edgewise.\n" },
  exportNames: ({ status_code: status }) => [typeof status === "number" ? `status-${status}` : null],
});
