import { type Value, isObject } from "../core/json.js";
import { listOf, sameRefs, textMember } from "./codecs.js";
import { enabled, field, moduleField } from "./fields.js";
import { type ImpactReason, type ImpactRule, isOn, moduleMember, noImpact, routing, security } from "./impact.js";
import type { Field, Module } from "./kind.js";
import { listFew } from "../core/text.js";
import { documentOf, policy } from "./policy.js";

export const termination: ImpactRule = (before, after) => {
  if (isOn(before) && !isOn(after)) return security("TLS is no longer terminated as configured");
  const [from, to] = [moduleMember(before, "terminate_at"), moduleMember(after, "terminate_at")];
  if (before !== null && from !== to && to !== null) {
    return security(`TLS ends at ${orDefault(to)} instead of ${orDefault(from)}`);
  }
  const [old, next] = [moduleMember(before, "min_version"), moduleMember(after, "min_version")];
  if (before !== null && typeof old === "string" && (next === null || (typeof next === "string" && next < old))) {
    return security(`older TLS versions than ${old} are accepted`);
  }
  return routing(
    before === null ? "TLS termination begins to apply" : "clients with older TLS versions may be refused",
  );
};

export function policyModule(foreignPhases: Field["foreignPhases"] & object, declared: Partial<Module & Field>): Field {
  const value = field({ codec: policy, content: "policy", freeText: true, foreignPhases });
  return moduleField({ ...declared, members: { enabled, value }, impact: trafficPolicy });
}

const trafficPolicy: ImpactRule = (before, after) => {
  const lost = guardsIn(before) - guardsIn(after);
  const rules = lost === 1 ? "1 rule" : `${lost} rules`;
  if (lost > 0) return security(`${rules} that kept traffic out (deny and the like) ${lost === 1 ? "is" : "are"} gone`);
  return routing(after === null ? "the traffic policy is gone" : "the traffic policy changes what happens to traffic");
};

export function guarding(name: string, member: string): ImpactRule {
  return (before, after) => {
    if (isOn(before) && !isOn(after)) return security(`${name} no longer guards this edge`);
    if (!isOn(before) && isOn(after)) return routing(`${name} begins to guard this edge`);
    if (isOn(after) && !sameRefs(moduleMember(before, member), moduleMember(after, member))) {
      return security(`what ${name} lets through changes`);
    }
    return noImpact;
  };
}

export function servedHostports(before: Value, after: Value): ImpactReason {
  const [old, next] = [listOf(before).map(hostport), listOf(after).map(hostport)];
  const gone = old.filter((item) => !next.includes(item));
  const made = next.filter((item) => !old.includes(item));
  const [items, what] =
    gone.length > 0 ? ([gone, "no longer served by this edge"] as const) : ([made, "served by this edge"] as const);
  return items.length === 0 ? noImpact : routing(`${listFew(items, 3)} ${items.length === 1 ? "is" : "are"} ${what}`);
}

function hostport(item: Value): string {
  return typeof item === "string" ? item : `the address of ${textMember(item, "address") ?? "?"}`;
}

function orDefault(value: Value): string {
  return typeof value === "string" ? value : "the service's default";
}

/** Need not be complete, as it only colours the report. */
const guards = new Set(
  "deny restrict-ips basic-auth jwt-validation oauth openid-connect saml verify-webhook owasp-crs-request owasp-crs-response rate-limit close-connection".split(
    " ",
  ),
);

function guardsIn(module: Value): number {
  if (!isOn(module)) return 0;
  const value = moduleMember(module, "value");
  // When only what changes is known, it may hold one.
  if (value === null) return 1;
  const document = documentOf(value);
  const rules = Object.values(isObject(document) ? document : {}).flatMap(listOf);
  const actions = rules.flatMap((rule) => (isObject(rule) ? listOf(rule["actions"]) : []));
  return actions.filter((action) => guards.has(textMember(action, "type") ?? "")).length;
}
