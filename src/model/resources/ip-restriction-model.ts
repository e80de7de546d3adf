import { flag, ids, oneOf, readObject } from "../read-body.js";
import { Rejection } from "../request.js";
import {
  type ResourceModel,
  descriptionText,
  metadataText,
  namedTexts,
  policyRefs,
  storedText,
} from "../resource-model.js";

const changeable = { description: descriptionText, metadata: metadataText, enforced: flag, ip_policy_ids: ids };
const types = ["dashboard", "api", "agent", "endpoints"] as const;

export const ipRestrictionModel: ResourceModel = {
  create(json, context) {
    const body = readObject(json, "", { ...changeable, type: oneOf(types) }, ["type", "ip_policy_ids"]);
    const [other] = context.world.indexes.other.get(`type:${body.type}`);
    if (context.world.options.oneRestrictionPerType && other !== undefined) {
      throw new Rejection(400, "type-taken", `type ${body.type} already has an IP restriction, ${other}.`);
    }
    return {
      description: storedText(body.description, context),
      metadata: storedText(body.metadata, context),
      enforced: body.enforced ?? false,
      type: body.type,
      ip_policies: policyRefs(body.ip_policy_ids, "ip_policy_ids", context),
    };
  },
  update(json, _before, context) {
    const { lenient } = context.world.options;
    const body = readObject(json, "", changeable);
    const policies = body.ip_policy_ids;
    return {
      ...namedTexts(body, context),
      ...(body.enforced === undefined ? {} : { enforced: body.enforced }),
      // A lenient service takes an empty list for none given.
      ...(policies === undefined || (lenient && policies.length === 0)
        ? {}
        : { ip_policies: policyRefs(policies, "ip_policy_ids", context) }),
    };
  },
  keys: (resource) => (typeof resource["type"] === "string" ? [["other", `type:${resource["type"]}`]] : []),
};
