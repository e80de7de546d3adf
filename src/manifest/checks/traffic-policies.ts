import { suggest } from "../../diagnostics/suggest.js";
import type { DocumentPath } from "../../document-path.js";
import { isObject } from "../../json.js";
import type { Field } from "../../kinds/kind.js";
import { documentOf } from "../../kinds/policy/policy-codec.js";
import { limits } from "../../limits.js";
import { parseJson } from "../../parse-json.js";
import type { ManifestCheck, ReportProblem } from "../parsed-manifest.js";
import { namedFile } from "../resolve-spec.js";
import { specFieldsOf, specValueAt } from "../spec-fields.js";

/** A traffic policy is a JSON object; phases and actions that are not known are worth a warning, never an error. */
export const trafficPolicies: ManifestCheck = ({ kind, spec, value }, find) => {
  for (const place of specFieldsOf(kind)) {
    if (place.form !== "policy") continue;
    const path: DocumentPath = ["spec", ...place.path];
    const policy = specValueAt(spec, place.path);
    if (policy === undefined || policy === null) continue;
    const written = specValueAt(value["spec"], place.path);
    const file = namedFile(written);
    const document = typeof policy === "string" ? documentOf(policy) : policy;
    if (!isObject(document)) {
      const what = file === null ? "the traffic policy" : `"${file}"`;
      const message =
        typeof policy === "string" && document === undefined
          ? `${what} ${isTooDeep(policy) ? `is nested more than ${limits.depth} deep` : "is not JSON"}`
          : `${what} is no JSON object of phases`;
      find({ code: "policy-json", message, path });
      continue;
    }
    // Inside a file or a text there is no place to point at but the whole.
    const inside = typeof written === "string" || file !== null ? null : path;
    checkPhases(document, place.field, path, inside, find);
  }
};

function isTooDeep(policy: string): boolean {
  const parsed = parseJson(policy);
  return "problem" in parsed && parsed.problem === "depth";
}

function checkPhases(
  document: { readonly [phase: string]: unknown },
  field: Field,
  whole: DocumentPath,
  inside: DocumentPath | null,
  find: ReportProblem,
): void {
  const foreign = field.foreignPhases;
  for (const [phase, rules] of Object.entries(document)) {
    const place = { path: inside === null ? whole : [...inside, phase], at: "key" } as const;
    if (!knownPhases.includes(phase)) {
      const near = suggest(phase, knownPhases);
      const message = `the phase ${JSON.stringify(phase)} is not among those that edgewise knows`;
      find({ code: "policy-phase", message, ...(near === null ? {} : { remedy: `Did you mean ${near}?` }), ...place });
    } else if (foreign?.phases.test(phase) === true) {
      const message = `the phase ${phase} belongs to ${foreign.owner}; it does nothing here`;
      find({ code: "policy-phase-misplaced", message, ...place });
    }
    for (const { path, type } of actionsOf(rules)) {
      if (knownActions.includes(type)) continue;
      const near = suggest(type, knownActions);
      find({
        code: "policy-action",
        message: `the action ${JSON.stringify(type)} is not among those that edgewise knows`,
        ...(near === null ? {} : { remedy: `Did you mean ${near}?` }),
        path: inside === null ? whole : [...inside, phase, ...path],
      });
    }
  }
}

function actionsOf(rules: unknown): readonly { readonly type: string; readonly path: DocumentPath }[] {
  if (!Array.isArray(rules)) return [];
  return rules.flatMap((rule: unknown, r) => {
    const actions = isObject(rule) ? rule["actions"] : null;
    if (!Array.isArray(actions)) return [];
    return actions.flatMap((action: unknown, a) => {
      const type = isObject(action) ? action["type"] : null;
      return typeof type === "string" ? [{ type, path: [r, "actions", a, "type"] }] : [];
    });
  });
}

/** Phases and actions of traffic policies that live services were seen to have. The lists grow: others are no errors. */
const knownPhases: readonly string[] = [
  "on_tcp_connect",
  "on_http_request",
  "on_http_response",
  "on_event_stream_message",
];

const knownActions: readonly string[] = (
  "add-headers ai-gateway basic-auth circuit-breaker close-connection compress-response custom-response deny " +
  "forward-internal http-request jwt-validation log oauth openid-connect owasp-crs-request owasp-crs-response " +
  "rate-limit redirect remove-headers request-body-find-replace response-body-find-replace restrict-ips saml " +
  "set-vars sse-find-replace terminate-tls url-rewrite verify-webhook"
).split(" ");
