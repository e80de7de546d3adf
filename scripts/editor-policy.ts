import type { Json, JsonObject } from "../src/core/json.ts";
import { knownActions, knownPhases } from "../src/kinds/policy.ts";

/** Any value, in a form of which language servers know that a value follows: without it they insert no colon. */
const anything: JsonObject = { anyOf: [{}] };

const phaseWords: { readonly [phase: string]: string } = {
  on_tcp_connect: "Rules for each new connection to a TLS edge, before anything is read from it.",
  on_http_request: "Rules for each HTTP request, before it goes to the backend.",
  on_http_response: "Rules for each HTTP response, before it goes to the client.",
  on_event_stream_message: "Rules for each message of a stream of server-sent events.",
};

const action: JsonObject = {
  title: "Action",
  description: "One action, with its configuration.",
  properties: {
    type: {
      title: "Type",
      description: "The type of the action. Services add new ones, so edgewise validate only warns of an unknown type.",
      // Two alternatives without a title would be shown on hover as "Type || Type".
      anyOf: [{ title: "Type" }, suggestedOnly(knownActions)],
    },
    config: {
      title: "Configuration",
      description: "What the action needs; it depends on the type.",
      // Language servers insert a map below it, and require none.
      properties: {},
    },
  },
};

const rule: JsonObject = {
  title: "Rule",
  description: "Runs its actions, in order, when all of its expressions are true.",
  properties: {
    name: { title: "Name", description: "A name for people.", ...anything },
    expressions: {
      title: "Expressions",
      description: "Conditions in CEL, all of which must be true. Without them, the rule always applies.",
      items: { title: "Expression", description: "A condition in CEL." },
    },
    actions: { title: "Actions", description: "What is done, in order.", items: action },
  },
};

/** Completes what is known and requires nothing: the language belongs to the service and grows. */
export const editorPolicy: JsonObject = {
  title: "Traffic policy",
  description: "Rules that the service applies to the traffic, by phase.",
  properties: Object.fromEntries(
    knownPhases.map((phase) => [
      phase,
      { title: phase, description: phaseWords[phase] ?? "Rules of this phase.", items: rule },
    ]),
  ),
};

/** Completed, not required: an alternative that never matches changes neither what is valid nor what is shown. */
export function suggestedOnly(values: readonly string[]): JsonObject {
  return { $comment: "Suggestions: this alternative never matches.", not: {}, enum: values };
}

export function conditional(condition: Json, ...branches: readonly (readonly ["then" | "else", Json])[]): JsonObject {
  return { if: condition, ...Object.fromEntries(branches) };
}
