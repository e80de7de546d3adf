import { filledText, hostportKey, oneOf, readObject, text } from "../read-body.js";
import {
  type ResourceModel,
  externalPaths,
  externalRef,
  metadataText,
  namedTexts,
  storedText,
} from "../resource-model.js";

const regions = ["au", "eu", "ap", "us", "jp", "in", "sa"] as const;

/** Specification, "Reserved address". Its description has no limit. */
export const reservedAddressModel: ResourceModel = {
  kind: "ReservedAddress",
  title: "reserved address",
  path: "/reserved_addrs",
  member: "reserved_addrs",
  prefix: "ra_",
  create(json, context) {
    const body = readObject(json, "", { description: text(), metadata: metadataText, region: oneOf(regions) });
    const region = body.region ?? "us";
    return {
      description: storedText(body.description, context),
      metadata: storedText(body.metadata, context),
      addr: context.env.newAddr(region),
      region,
      endpoint_configuration: null,
    };
  },
  update(json, _before, context) {
    const body = readObject(json, "", {
      description: text(),
      metadata: metadataText,
      endpoint_configuration_id: filledText,
    });
    const id = body.endpoint_configuration_id;
    return {
      ...namedTexts(body, context),
      ...(id === undefined
        ? {}
        : {
            endpoint_configuration: externalRef(id, externalPaths.configuration, "endpoint_configuration_id", context),
          }),
    };
  },
  keys: (resource) => (typeof resource["addr"] === "string" ? [["addr", hostportKey(resource["addr"])]] : []),
};
