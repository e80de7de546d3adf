import { endpointConfiguration, plain, ref, withoutPort } from "./codecs.js";
import { field, metadata, unlimitedDescription } from "./fields.js";
import { noImpact, routing } from "./impact.js";
import { defineKind } from "./kind.js";

export const reservedAddress = defineKind({
  kind: "ReservedAddress",
  title: "reserved address",
  idPrefix: "ra_",
  terraformTypes: ["reserved_addr", "tcp_address"],
  collection: { path: "/reserved_addrs", member: "reserved_addrs" },
  fields: {
    description: unlimitedDescription,
    metadata,
    region: field({
      codec: plain,
      unset: "inherit",
      initial: "us",
      write: "create",
      impact: (before, after) => {
        if (before === null) return noImpact;
        if (after === null) return routing("the address is gone, and with it whatever it served");
        return { impact: "irreversible", reason: "the address is lost: the service assigns another" };
      },
    }),
    endpoint_configuration: field({
      codec: ref(endpointConfiguration),
      unset: "inherit",
      write: "update",
      writeAs: "endpoint_configuration_id",
      impact: (_before, _after, whole) =>
        whole.before === null || whole.after === null
          ? noImpact
          : routing("traffic is handled by another configuration"),
    }),
  },
  defaults: { deletion: "protect", replaced: "delete" },
  identifiedBy: ["addr"],
  // A manifest can't name the address itself.
  identifiers: ({ description, region }) =>
    (description ?? "") === "" ? [] : [JSON.stringify([region ?? null, description ?? null])],
  hasAddr: true,
  // `1.tcp.eu.example.com:20001`
  addrForm: /^\d+\.tcp(?:\.[a-z0-9-]+)+:\d+$/u,
  exportNames: (wire) => [withoutPort(wire["addr"])],
  hazards: (before, after) =>
    before !== null && after === null
      ? [
          {
            code: "irreversible",
            message: "a deleted reserved address cannot be recovered: the service never assigns the same address again",
            remedy:
              "keep its manifest; or set lifecycle.deletion: orphan in it, apply, then remove it: the address stays; to delete it anyway, {allow}",
          },
        ]
      : [],
});
