import type { Spec, Value } from "../core/json.js";
import { ipPolicy, plain, sameRefs } from "./codecs.js";
import { description, field, metadata, refsField } from "./fields.js";
import { noImpact, routing, security } from "./impact.js";
import { type Hazard, defineKind } from "./kind.js";

export const ipRestriction = defineKind({
  kind: "IPRestriction",
  title: "IP restriction",
  idPrefix: "ipx_",
  terraformTypes: ["ip_restriction"],
  collection: { path: "/ip_restrictions", member: "ip_restrictions" },
  fields: {
    description,
    metadata,
    type: field({
      codec: plain,
      write: "create",
      impact: (before, after) =>
        before === null || after === null
          ? noImpact
          : security(`${show(before)} traffic is no longer restricted by it, ${show(after)} traffic is`),
    }),
    enforced: field({
      codec: plain,
      impact: (before, after) => {
        if (before === true) return security("the restriction is no longer enforced");
        if (after === true) return routing("traffic that was let through may be refused");
        return { impact: "cosmetic", reason: null };
      },
    }),
    ip_policies: {
      ...refsField(ipPolicy, "ip_policy_ids"),
      impact: (before, after, whole) => {
        // Without enforcement the service only warns. Where only changes are known, it may be enforced.
        const enforced = [whole.before, whole.after].some(
          (spec) => spec !== null && (spec["enforced"] ?? true) !== false,
        );
        if (!enforced) return { impact: "cosmetic", reason: null };
        if (before === null) return routing("its policies begin to restrict traffic");
        return security(
          after === null ? "its policies no longer restrict traffic" : "what its policies let through changes",
        );
      },
    },
  },
  identifiedBy: ["type"],
  hazards,
  comesLast: guardsTheApi,
  exportNames: (wire) => [wire["type"]],
  singleton: (spec) => `an IP restriction of type ${show(spec["type"] ?? null)}`,
});

function guardsTheApi(spec: Spec): boolean {
  return spec["type"] === "api" && spec["enforced"] === true;
}

function hazards(before: Spec | null, after: Spec | null): readonly Hazard[] {
  if (after === null || !guardsTheApi(after)) return [];
  if (before !== null && guardsTheApi(before) && sameRefs(before["ip_policies"] ?? null, after["ip_policies"] ?? null))
    return [];
  return [
    {
      code: "lockout",
      message: "an enforced restriction of type api can lock this tool and everybody else out of the API",
      remedy:
        "make sure that its policies let in the addresses that this tool and you work from, then {allow}; or begin with enforced: false",
    },
  ];
}

function show(value: Value): string {
  return typeof value === "string" ? value : "unknown";
}
