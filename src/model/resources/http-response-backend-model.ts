import { type JsonObject, isObject } from "../../core/json.js";
import { isHeaderName, isHeaderValue } from "../../kinds/codecs/value-codecs.js";
import { type Reader, integer, readObject, text, wrongType } from "../read-body.js";
import { Rejection } from "../request.js";
import { type ResourceModel, namedTexts, storedText } from "../resource-model.js";

/** Header names come back in lower case; no headers come back as null. */
const headers: Reader<JsonObject | null> = (value, at) => {
  if (!isObject(value)) throw wrongType(at, "a map of strings", value);
  const entries = Object.entries(value).map(([name, each]): [string, string] => {
    if (typeof each !== "string") throw wrongType(`${at}.${name}`, "a string", each ?? null);
    if (!isHeaderName(name)) throw new Rejection(400, "value-invalid", `${at} holds a name that no header can have.`);
    if (!isHeaderValue(each)) throw new Rejection(400, "value-invalid", `${at} holds a value that no header can have.`);
    return [name.toLowerCase(), each];
  });
  return entries.length === 0 ? null : Object.fromEntries(entries);
};

const members = { description: text(), metadata: text(), body: text(), headers, status_code: integer(100, 599) };

/** Unlike those of other kinds, its description and metadata have no limit. */
export const httpResponseBackendModel: ResourceModel = {
  create(json, context) {
    const { lenient } = context.world.options;
    const body = readObject(json, "", members, lenient ? [] : ["status_code"]);
    return {
      description: storedText(body.description, context),
      metadata: storedText(body.metadata, context),
      body: body.body ?? "",
      headers: body.headers ?? null,
      status_code: body.status_code ?? 200,
    };
  },
  update(json, _before, context) {
    const body = readObject(json, "", members);
    return {
      ...namedTexts(body, context),
      ...(body.body === undefined ? {} : { body: body.body }),
      ...(body.headers === undefined ? {} : { headers: body.headers }),
      ...(body.status_code === undefined ? {} : { status_code: body.status_code }),
    };
  },
  listsOmitUnsetTexts: true,
  keys: () => [],
};
