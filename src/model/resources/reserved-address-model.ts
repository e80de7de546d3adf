import { hostportClaim } from "../../kinds/codecs/reference-codecs.js";
import { filledText, oneOf, readObject, text } from "../read-body.js";
import {
  type ResourceModel,
  externalKinds,
  externalRef,
  metadataText,
  namedTexts,
  storedText,
} from "../resource-model.js";

const regions = ["au", "eu", "ap", "us", "jp", "in", "sa"] as const;

/** Unlike those of other kinds, its description has no limit. */
export const reservedAddressModel: ResourceModel = {
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
            endpoint_configuration: externalRef(id, externalKinds.configuration, "endpoint_configuration_id", context),
          }),
    };
  },
  keys({ addr }) {
    const claim = hostportClaim(addr ?? null);
    return claim === null ? [] : [["offer", claim]];
  },
};
