import type { ImproveWords } from "../diagnostics/diagnostic.js";
import { isSensitive } from "../core/document-path.js";
import { isObject } from "../core/json.js";
import { textOf } from "./hints.js";
import { membersAt } from "./members.js";
import { oneOfType } from "./schema-part.js";
import type { ViolationContext, ViolationText } from "./violation.js";

/** A value of the wrong type: what it is, and how to write the one that was meant. */
export function wrongType(context: ViolationContext): ViolationText {
  const { path, value, violation, where } = context;
  const wanted = [violation.params["type"]].flat().map(String);
  const is = typeOf(value);
  const named = wanted.filter((type) => type !== "null" || wanted.length === 1).map(oneOfType);
  const isWord = wanted.some((type) => type === "boolean" || type === "integer" || type === "number");
  // In the place of a map may be anything, even a secret.
  const mayQuote = isWord && typeof value === "string" && value.length <= 80 && !isSensitive(path);
  const quoted = mayQuote ? JSON.stringify(value) : null;
  const not = is === "number" && wanted.includes("integer") ? "a fraction" : (quoted ?? oneOfType(is));
  const message = `${where} must be ${named.join(" or ")}, not ${not}`;
  return { code: "wrong-type", message, ...remedyFor(wanted, is, context) };
}

function typeOf(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value;
}

type Remedy = Pick<ViolationText, "remedy" | "improve">;

function remedyFor(wanted: readonly string[], is: string, context: ViolationContext): Remedy {
  const { path, value } = context;
  if (path.at(-1) === "endpoint_configuration" && is === "null")
    return {
      remedy: "Leave it out to keep the live value; the service documents no way to clear an endpoint configuration.",
    };
  if (is === "null") return remedyForNull(wanted);
  if (is === "number" && path.at(-2) === "hostports")
    return { remedy: `Write the host before the port, in quotes: "api.example.com:${textOf(value)}".` };
  if (wanted.includes("string") && (is === "number" || is === "boolean")) return quotes(context);
  if (wanted.includes("boolean") && !isSensitive(path)) return written(booleanFor(value));
  if ((wanted.includes("integer") || wanted.includes("number")) && !isSensitive(path)) return numberFor(value);
  if (isSensitive(path)) return { remedy: null };
  if (wanted.includes("array") && !Array.isArray(value)) return listFor(value);
  return wanted.includes("object") ? mapFor(context) : textFor(value);
}

/** Text where there is a map or a list: a source that this field doesn't take, or text that YAML reads as one of the two. */
function textFor(value: unknown): Remedy {
  const source = isObject(value) ? Object.keys(value).join() : "";
  if (source === "file" || source === "env")
    return { remedy: `Write the text itself: this field takes no {${source}: …}.` };
  const improve: ImproveWords = (text) =>
    text === null ? null : { remedy: `Put it in quotes, if it is meant as text: ${JSON.stringify(text)}.` };
  return { remedy: "Write text after the colon, in quotes if it begins with { or [.", improve };
}

const onlyVariable = /^["']?\$\{\{\s*vars\.([\w-]+)\s*\}\}["']?$/u;

/** `Write X.`; a value that comes from a variable is mended where the variable is set. */
function written(text: string): Remedy {
  const improve: ImproveWords = (source) => {
    const name = onlyVariable.exec(source ?? "")?.[1];
    return name === undefined ? null : { remedy: `Set the variable ${name} to ${text}.` };
  };
  return { remedy: `Write ${text}.`, improve };
}

/** The text in the file counts, not the value: 1.10 is 1.1, and 0o17 is 15. */
function quotes({ path }: ViolationContext): Remedy {
  if (isSensitive(path)) return { remedy: "Put it in quotes." };
  const improve: ImproveWords = (text) => {
    if (text === null) return null;
    const name = onlyVariable.exec(text)?.[1];
    if (name !== undefined) return { remedy: `Put quotes around the value of the variable ${name}, where it is set.` };
    return { remedy: `Put it in quotes: ${JSON.stringify(text)}.` };
  };
  return { remedy: "Put it in quotes.", improve };
}

function remedyForNull(wanted: readonly string[]): Remedy {
  const what = wanted.includes("object")
    ? "Write its members below it, indented further"
    : wanted.includes("array")
      ? "Write its items below it, one `- ` line for each"
      : "Write its value after the colon";
  const improve: ImproveWords = (text) =>
    text === null || !wanted.includes("string")
      ? null
      : { remedy: `If it is meant as text, put it in quotes: ${JSON.stringify(text)}; otherwise remove the member.` };
  return { remedy: `${what}, or remove the member if it is optional.`, improve };
}

const words: readonly (readonly [string, RegExp])[] = [
  ["true", /^(?:true|yes|y|on|enabled?|1)$/iu],
  ["false", /^(?:false|no|n|off|disabled?|0)$/iu],
];

function booleanFor(value: unknown): string {
  const meant = typeof value === "string" || typeof value === "number" ? String(value).trim() : "";
  return words.find(([, pattern]) => pattern.test(meant))?.[0] ?? "true or false";
}

function numberFor(value: unknown): Remedy {
  if (typeof value === "number") return written(`${Math.floor(value)} or ${Math.ceil(value)}`);
  const digits = typeof value === "string" ? value.trim().replaceAll(/[_ ,]/gu, "") : "";
  if (!/^-?(?:0|[1-9]\d{0,14})$/u.test(digits)) return { remedy: "Write a number in digits." };
  return written(digits === value ? `${digits}, without quotes` : digits);
}

function listFor(value: unknown): Remedy {
  if (typeof value === "string" && /^-[^\s-]/u.test(value)) return { remedy: "Put a space after each dash." };
  const remedy = "Write a list: [first, second], or one `- ` line for each.";
  const improve: ImproveWords = (text) => (text === null ? null : { remedy: `Write a list: [${text}].` });
  return { remedy, improve };
}

function mapFor({ members, path, value }: ViolationContext): Remedy {
  if (Array.isArray(value)) return { remedy: "Write a map, one `name: value` line for each, without dashes." };
  const known = membersAt(members, path);
  const example = (known.length === 0 ? ["name"] : known).map((name) => `${name}: …`).join(", ");
  const improve: ImproveWords = (text) => {
    const [, name, sign, rest] = /^([A-Za-z_][\w-]*)(:|\s*=\s*)(\S.*)$/u.exec(text ?? "") ?? [];
    if (name === undefined) return null;
    const verb = sign === ":" ? "Put a space after the colon" : "Write a colon instead of =";
    return { remedy: `${verb}: ${name}: ${rest}` };
  };
  return { remedy: `Write a map: {${example}}.`, improve };
}
