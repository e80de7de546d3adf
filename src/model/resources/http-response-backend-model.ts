import { type JsonObject, isObject } from "../../core/json.js";
import { isHeaderName, isHeaderValue } from "../../kinds/codecs.js";
import { type Reader, integer, text, wrongType } from "../read-body.js";
import { Rejection } from "../request.js";
import { type ResourceModel, textMember } from "../resource-model.js";

const headers: Reader<JsonObject | null> = (value, at) => {
  if (!isObject(value)) throw wrongType(at, "a map of strings", value);
  const entries = Object.entries(value).map(([name, each]): [string, string] => {
    if (typeof each !== "string") throw wrongType(`${at}.${name}`, "a string", each);
    if (!isHeaderName(name)) throw new Rejection("value-invalid", `${at} holds a name that no header can have.`);
    if (!isHeaderValue(each)) throw new Rejection("value-invalid", `${at} holds a value that no header can have.`);
    return [name.toLowerCase(), each];
  });
  return entries.length === 0 ? null : Object.fromEntries(entries);
};

export const httpResponseBackendModel: ResourceModel = {
  members: {
    description: textMember(),
    metadata: textMember(),
    body: { read: text(), unset: () => "" },
    headers: { read: headers, unset: () => null },
    status_code: { read: integer(100, 599), unset: ({ world }) => (world.options.lenient ? 200 : undefined) },
  },
  listsOmitUnsetTexts: true,
};
