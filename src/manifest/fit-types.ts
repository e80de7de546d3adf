import { isObject } from "../json.js";
import type { Json } from "../json.js";
import type { DocumentPath, SchemaError } from "../schema/schema-error.js";
import type { UntypedValue } from "./substitute.js";

/**
 * Texts from flags and the process environment have no type. Where a schema asks for a number or a boolean and the
 * text is one, it is taken as that; everywhere else it stays the text that it is.
 * @param errors what the schema says of the document with the texts
 * @returns the document itself when nothing of it fits better
 */
export function fitTypes(document: Json, texts: readonly UntypedValue[], errors: readonly SchemaError[]): Json {
  if (texts.length === 0) return document;
  const wanted = new Map(
    errors.flatMap(({ keyword, params, path }) =>
      keyword === "type" ? [[JSON.stringify(path), [params["type"]].flat()] as const] : [],
    ),
  );
  let result = document;
  for (const { path, text } of texts) {
    const value = parseAs(text, wanted.get(JSON.stringify(path)) ?? []);
    if (value !== null) result = replacedAt(result, path, value);
  }
  return result;
}

function parseAs(text: string, types: readonly unknown[]): number | boolean | null {
  if (types.includes("boolean") && /^(true|false)$/u.test(text)) return text === "true";
  if ((types.includes("integer") || types.includes("number")) && /^-?(0|[1-9]\d{0,14})$/u.test(text))
    return Number(text);
  return null;
}

function replacedAt(document: Json, [step, ...rest]: DocumentPath, value: Json): Json {
  if (step === undefined) return value;
  if (Array.isArray(document))
    return document.map((item: Json, index) => (index === step ? replacedAt(item, rest, value) : item));
  if (!isObject(document)) return document;
  const entries = Object.entries(document) as [string, Json][];
  return Object.fromEntries(
    entries.map(([name, item]) => [name, name === step ? replacedAt(item, rest, value) : item]),
  );
}
