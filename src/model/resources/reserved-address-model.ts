import { hostportClaim } from "../../kinds/codecs.js";
import { oneOf } from "../read-body.js";
import { type ResourceModel, refTo, textMember } from "../resource-model.js";

const region = oneOf(["au", "eu", "ap", "us", "jp", "in", "sa"]);

export const reservedAddressModel: ResourceModel = {
  members: {
    description: textMember(),
    metadata: textMember(4096),
    region: {
      read: (value, at, { world }) => (value === "" && world.options.lenient ? "us" : region(value, at)),
      unset: () => "us",
      only: "POST",
    },
    endpoint_configuration_id: { as: "endpoint_configuration", read: refTo("configuration"), only: "PATCH" },
  },
  made: ({ region: chosen }, { env }) => ({ addr: env.newAddr(String(chosen)), endpoint_configuration: null }),
  keys({ addr }) {
    const claim = hostportClaim(addr ?? null);
    return claim === null ? [] : [["offer", claim]];
  },
};
