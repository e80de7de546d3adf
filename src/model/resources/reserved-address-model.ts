import { hostportClaim } from "../../kinds/codecs/reference-codecs.js";
import { type Reader, filledText, oneOf, readObject, text } from "../read-body.js";
import { type ResourceModel, metadataText, namedTexts, refTo, referables, storedText } from "../resource-model.js";

const regions = ["au", "eu", "ap", "us", "jp", "in", "sa"] as const;
type Region = (typeof regions)[number];

/** Unlike those of other kinds, its description has no limit. */
export const reservedAddressModel: ResourceModel = {
  create(json, context) {
    const region: Reader<Region | ""> = (value, at) =>
      value === "" && context.world.options.lenient ? "" : oneOf(regions)(value, at);
    const body = readObject(json, "", { description: text(), metadata: metadataText, region });
    const chosen = body.region || "us";
    return {
      description: storedText(body.description, context),
      metadata: storedText(body.metadata, context),
      addr: context.env.newAddr(chosen),
      region: chosen,
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
            endpoint_configuration: refTo(id, referables.configuration, "endpoint_configuration_id", context),
          }),
    };
  },
  keys({ addr }) {
    const claim = hostportClaim(addr ?? null);
    return claim === null ? [] : [["offer", claim]];
  },
};
