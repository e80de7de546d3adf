import { X509Certificate, createHash } from "node:crypto";
import { type Json, type JsonObject, isObject, parseJson } from "../core/json.js";
import { certificateBlocks } from "../core/pem.js";
import { visible, visibleLine } from "../core/visible.js";

/** `inPolicy`: texts stand as they are. */
export function yamlLines(value: Json, inPolicy = false): readonly string[] {
  if (typeof value === "string" && !inPolicy && isLongText(value)) return textLines(value);
  if (typeof value !== "object" || value === null) return [formatFlow(value)];
  if (isList(value)) {
    if (value.length === 0) return ["[]"];
    return value.flatMap((item) => {
      const [first = "", ...rest] = yamlLines(item, inPolicy);
      return [`- ${first}`, ...indented(rest)];
    });
  }
  const members = inKeyOrder(membersOf(value));
  if (members.length === 0) return ["{}"];
  return members.flatMap(([name, member]) => {
    const key = `${formatFlow(name)}:`;
    const lines = yamlLines(member, inPolicy);
    if (typeof member === "string" && !inPolicy && isLongText(member))
      return [parsePolicy(member) === null ? `${key} |` : key, ...indented(lines)];
    const isShort = typeof member !== "object" || member === null || /^[[{]/u.test(lines[0] ?? "");
    return isShort ? [`${key} ${lines.join("")}`] : [key, ...indented(lines)];
  });
}

function indented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  ${line}`);
}

function textLines(text: string): readonly string[] {
  const policy = parsePolicy(text);
  if (policy !== null) return yamlLines(policy, true);
  const lines = visible(text).split("\n");
  if (lines.length > 1 && lines.at(-1) === "") lines.pop();
  else lines[lines.length - 1] += text.includes("\n") ? " (no newline at end of file)" : "";
  return lines;
}

export function isLongText(text: string): boolean {
  return !isPem(text) && (text.includes("\n") || parsePolicy(text) !== null);
}

// What YAML reads as text without quotes. A colon at the end makes a member.
const bareText =
  /^(?:[A-Za-z][A-Za-z0-9._:/-]*(?<!:)|[0-9][A-Za-z0-9-]*(?:\.[A-Za-z0-9-]+)*\.[A-Za-z][A-Za-z0-9-]*(?::\d+)?)$/u;
const reservedWord = /^(?:true|false|null|yes|no|on|off|~)$/iu;

export function formatScalar(value: string | number | boolean | null): string {
  if (typeof value !== "string") return String(value);
  return isPem(value) ? describePem(value) : visibleLine(JSON.stringify(value));
}

/** `{name: api}`, `[a.example:443, "x y"]`. `{id}` is shown as the id. */
export function formatFlow(value: Json): string {
  if (typeof value === "string") return bareText.test(value) && !reservedWord.test(value) ? value : formatScalar(value);
  if (typeof value !== "object" || value === null) return formatScalar(value);
  if (isList(value)) return `[${value.map(formatFlow).join(", ")}]`;
  if (typeof value["id"] === "string" && isReference(value)) return formatFlow(value["id"]);
  const members = membersOf(value).map(([name, member]) => `${visibleLine(name)}: ${formatFlow(member)}`);
  return `{${members.join(", ")}}`;
}

export function isReference(value: Json): value is JsonObject {
  if (!isObject(value)) return false;
  const [[name, member] = ["", null], ...others] = Object.entries(value);
  return others.length === 0 && typeof member === "string" && ["id", "name", "address"].includes(name);
}

function membersOf(value: JsonObject): readonly (readonly [string, Json])[] {
  return Object.entries(value).flatMap(([name, member]) => (member === undefined ? [] : [[name, member] as const]));
}

/** `Array.isArray` that keeps the element type of a read-only array. */
export function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function parsePolicy(text: string): Json | null {
  if (text.length < 24 || !/^\s*[{[]/u.test(text)) return null;
  const parsed = parseJson(text);
  const json = "value" in parsed ? (parsed.value as Json) : null;
  return typeof json === "object" ? json : null;
}

// As people write rules. Values that differ only in the order of their members are equal.
const keyOrder = ["enabled", "name", "type", "expressions", "actions", "config"];

function inKeyOrder(members: readonly (readonly [string, Json])[]): readonly (readonly [string, Json])[] {
  const rank = (name: string): number => (keyOrder.indexOf(name) + keyOrder.length + 1) % (keyOrder.length + 1);
  return members.toSorted(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : a > b ? 1 : 0));
}

function isPem(text: string): boolean {
  return text.trimStart().startsWith("-----BEGIN ");
}

/** Nothing of a private key is ever shown. The hash of one certificate is its fingerprint. */
function describePem(text: string): string {
  if (text.includes("PRIVATE KEY")) return "(secret)";
  const hashOf = (data: string | Buffer): string => createHash("sha256").update(data).digest("hex").slice(0, 12);
  try {
    const chain = certificateBlocks(text).map((block) => new X509Certificate(block));
    const { serialNumber, subject, validTo } = chain[0] ?? new X509Certificate(text);
    const name = ((subject as string | undefined) ?? "").split("\n").find((part) => part.startsWith("CN="));
    const more = chain.length > 1 ? `, chain of ${chain.length}` : "";
    const until = new Date(validTo).toISOString().slice(0, 10);
    const hash = hashOf(Buffer.concat(chain.map(({ raw }) => raw)));
    return `certificate ${visibleLine(name ?? `serial ${serialNumber}`)}${more}, until ${until}, sha256 ${hash}…`;
  } catch {
    return `(unreadable PEM, ${text.length} characters, sha256 ${hashOf(text)}…)`;
  }
}
