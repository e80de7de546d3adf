import { flag, oneOf } from "../read-body.js";
import { type ResourceModel, refsTo, textMember } from "../resource-model.js";

const readPolicies = refsTo("policy");

export const ipRestrictionModel: ResourceModel = {
  members: {
    description: textMember(255),
    metadata: textMember(4096),
    enforced: { read: flag, unset: () => false },
    type: { read: oneOf(["dashboard", "api", "agent", "endpoints"]), only: "POST" },
    ip_policy_ids: {
      as: "ip_policies",
      read: (value, at, context) => {
        // A lenient service takes an empty list in a PATCH for none given.
        const isNone = Array.isArray(value) && value.length === 0 && context.before !== undefined;
        return isNone && context.world.options.lenient ? undefined : readPolicies(value, at, context);
      },
    },
  },
};
