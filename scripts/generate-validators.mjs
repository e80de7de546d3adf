import { _, Ajv2020, str } from "ajv/dist/2020.js";
import standaloneCode from "ajv/dist/standalone/index.js";
import { manifestSchemas } from "./manifest-schemas.mjs";
import { mapSchema, without } from "./map-schema.mjs";

const standalone = standaloneCode.default ?? standaloneCode;

/** Keywords without effect on validity; they would only make the generated code larger. */
const annotations = [
  "$schema",
  "title",
  "description",
  "default",
  "examples",
  "writeOnly",
  "x-immutable",
  "x-inherits",
];

/**
 * `maxBytes`: the limit of a text in bytes of UTF-8. The service counts bytes; `maxLength` counts characters.
 * A text of at most a third of the limit in UTF-16 units can't be too long, so most texts are never encoded.
 */
const maxBytes = {
  keyword: "maxBytes",
  type: "string",
  schemaType: "number",
  error: {
    message: ({ schemaCode }) => str`too long: ${schemaCode}`,
    params: ({ schemaCode }) => _`{limit: ${schemaCode}}`,
  },
  code(cxt) {
    const { data, schema } = cxt;
    cxt.fail(_`${data}.length * 3 > ${schema} && Buffer.byteLength(${data}, "utf8") > ${schema}`);
  },
};

/** The runtime functions that ajv's code needs, without `require`, which ES modules don't have. */
const runtime = new Map([
  ['require("ajv/dist/runtime/ucs2length").default', "(text) => [...text].length"],
  ['require("ajv/dist/runtime/equal").default', "deepEqual"],
]);

/** A comparison of the number of characters of a text, as ajv writes it. */
const lengthCompared = /\b(func\d+)\((\w+)\) ([<>]) (\d+)(?=\)\{)/g;

/**
 * The code with texts compared by their UTF-16 units first, of which there are at least as many as characters: most texts
 * are far from their limit, and counting characters makes a list of them.
 */
function withShortTextsFirst(code) {
  return code.replaceAll(lengthCompared, (counted, _count, text, operator, limit) => {
    const units = `${text}.length ${operator} ${limit}`;
    if (operator === ">") return `${units} && ${counted}`;
    return limit === "1" ? units : `(${units} || ${counted})`;
  });
}

/** `maxBytes` implies `maxLength`, which is for editors only: one mistake gives one message. */
function forValidation(schema) {
  return mapSchema(without(schema, annotations), (part) => {
    if (part.maxBytes === undefined) return part;
    const { maxLength: _redundant, ...rest } = part;
    return rest;
  });
}

/** The schemas, with unknown members allowed everywhere. */
function open(schemas) {
  const opened = (schema) =>
    mapSchema(schema, (part) => {
      if (part.additionalProperties !== false) return part;
      const { additionalProperties: _closed, ...rest } = part;
      return rest;
    });
  return new Map([...schemas].map(([name, schema]) => [name, opened(schema)]));
}

/** One module of validators: `exports` maps what it exports to schema ids. */
function validators(schemas, exports) {
  const ajv = new Ajv2020({
    allErrors: true, // report all errors at once
    allowUnionTypes: true,
    code: { source: true, esm: true, lines: true },
    messages: false, // src/schema writes the messages
    strictTypes: false,
  });
  ajv.addKeyword(maxBytes);
  for (const schema of schemas.values()) ajv.addSchema(forValidation(schema));
  let code = standalone(ajv, exports);
  let imports = 'import type { Validator } from "../schema/validator.js";\n';
  for (const [call, replacement] of runtime) {
    if (code.includes(call) && replacement === "deepEqual")
      imports = `import deepEqual from "fast-deep-equal";\n${imports}`;
    code = code.replaceAll(call, replacement);
  }
  code = withShortTextsFirst(code);
  if (code.includes("require(")) throw new Error("a validator calls require, which ES modules lack");
  code = code.replace(/^"use strict";\n?/, "").replaceAll(/^export const (\w+) = /gm, "export const $1: Validator = ");
  return `// @ts-nocheck\n${imports}${code}\n`;
}

/** The validator modules by file name, split by use, and the schemas as a module. */
export function generateValidators(schemas) {
  const modules = {
    "manifest-validators.ts": Object.fromEntries(manifestSchemas(schemas).map(({ kind, id }) => [kind, id])),
    "config-validator.ts": { Config: "config.schema.json" },
    "fleet-validator.ts": { Fleet: "fleet.schema.json" },
    "plan-validator.ts": { Plan: "plan.schema.json" },
    "state-validators.ts": {
      StateDirectory: "state.schema.json#/$defs/directory",
      StackState: "state.schema.json#/$defs/stack",
      AccountState: "state.schema.json#/$defs/account",
      SourceState: "state.schema.json#/$defs/source",
      OutboxState: "state.schema.json#/$defs/outbox",
      HistoryLine: "history.schema.json",
    },
  };
  // What a later version of edgewise has written must stay readable: it may have more members.
  const schemasFor = (name) => (name === "state-validators.ts" ? open(schemas) : schemas);
  return {
    ...Object.fromEntries(
      Object.entries(modules).map(([name, exports]) => [name, validators(schemasFor(name), exports)]),
    ),
    "schemas.ts": `import type { JsonObject } from "../core/json.js";\n\n/** The schemas by file name. */\nexport const schemas: { readonly [file: string]: JsonObject } = ${JSON.stringify(Object.fromEntries(schemas), null, 1)};\n`,
  };
}
