import { type Json, type JsonObject, isObject } from "../core/json.js";
import { X509Certificate, createHash } from "node:crypto";
import { parseJson } from "../core/parse-json.js";
import { certificateBlocks } from "../core/pem.js";
import { visible, visibleLine } from "../text/visible.js";

const deepestBlock = 12;

/** A value as lines of block-style YAML, one thing a line, so that lines can be compared. */
export function blockLines(value: Json, depth = 0): readonly string[] {
  if (depth >= deepestBlock || isLeaf(value)) return [formatLeaf(value)];
  if (isList(value)) {
    return value.flatMap((item) =>
      isLeaf(item) ? [`- ${formatFlow(item)}`] : ["-", ...indented(blockLines(item, depth + 1))],
    );
  }
  if (isObject(value)) return membersOf(value).flatMap(([name, member]) => memberLines(name, member, depth));
  return typeof value === "string" ? textLines(value) : [];
}

function memberLines(name: string, member: Json, depth: number): readonly string[] {
  const key = `${formatFlow(name)}:`;
  if (isLeaf(member)) return [`${key} ${formatLeaf(member)}`];
  const head = typeof member === "string" && parsePolicy(member) === null ? `${key} |` : key;
  return [head, ...indented(blockLines(member, depth + 1))];
}

function formatLeaf(value: Json): string {
  return typeof value === "object" ? formatFlow(value) : formatScalar(value);
}

function indented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  ${line}`);
}

/** A text of several lines, or a JSON document, as lines. */
export function textLines(text: string): readonly string[] {
  const policy = parsePolicy(text);
  if (policy !== null) return policyLines(policy);
  const lines = visible(text).split("\n");
  if (lines.length > 1 && lines.at(-1) === "") lines.pop();
  else lines[lines.length - 1] += text.includes("\n") ? " (no newline at end of file)" : "";
  return lines;
}

/** Whether a string is shown over several lines. */
export function isLongText(text: string): boolean {
  return !isPem(text) && (text.includes("\n") || parsePolicy(text) !== null);
}

function isLeaf(value: Json): boolean {
  if (typeof value === "string") return !isLongText(value);
  if (typeof value !== "object" || value === null) return true;
  return isList(value) ? value.length === 0 : isReference(value) || membersOf(value).length === 0;
}

const bareWord = /^[A-Za-z][A-Za-z0-9._:/-]*$/;
const hostname = /^[0-9][A-Za-z0-9-]*(?:\.[A-Za-z0-9-]+)*\.[A-Za-z][A-Za-z0-9-]*(?::\d+)?$/;
const reservedWord = /^(?:true|false|null|yes|no|on|off|~)$/i;

/** A string, number, boolean or null on one line; strings in quotes, certificates in a few words. */
export function formatScalar(value: string | number | boolean | null): string {
  if (typeof value !== "string") return String(value);
  return isPem(value) ? describePem(value) : visibleLine(JSON.stringify(value));
}

/** A value on one line, as flow-style YAML: `{name: api}`, `[a.example:443, "x y"]`. `{id}` is shown as the id. */
export function formatFlow(value: Json): string {
  return formatFlowAt(value, 0);
}

function formatFlowAt(value: Json, depth: number): string {
  if (typeof value === "string")
    return (bareWord.test(value) && !reservedWord.test(value)) || hostname.test(value) ? value : formatScalar(value);
  if (typeof value !== "object" || value === null) return formatScalar(value);
  if (depth >= 20) return "…";
  if (isList(value)) return `[${value.map((item) => formatFlowAt(item, depth + 1)).join(", ")}]`;
  if (typeof value["id"] === "string" && isReference(value)) return formatFlowAt(value["id"], depth);
  const members = membersOf(value).map(([name, member]) => `${visibleLine(name)}: ${formatFlowAt(member, depth + 1)}`);
  return `{${members.join(", ")}}`;
}

/** Whether a value is `{id}`, `{name}` or `{address}` without other members. */
export function isReference(value: Json): value is JsonObject {
  if (!isObject(value)) return false;
  let count = 0;
  for (const name of Object.keys(value)) {
    const member = value[name];
    if (member === undefined) continue;
    // Most objects are told by their first member.
    if (typeof member !== "string" || !referenceMembers.has(name)) return false;
    count += 1;
  }
  return count === 1;
}

const referenceMembers: ReadonlySet<string> = new Set(["id", "name", "address"]);

/** The members of an object that are not undefined. */
function membersOf(value: JsonObject): readonly (readonly [string, Json])[] {
  const members: (readonly [string, Json])[] = [];
  for (const [name, member] of Object.entries(value)) if (member !== undefined) members.push([name, member]);
  return members;
}

/** `Array.isArray` that keeps the element type of a read-only array. */
export function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

const shortestPolicy = 24;
const deepestPolicy = 40;

/** The JSON document in a text (a traffic policy), or null when the text is short or something else. */
export function parsePolicy(text: string): Json | null {
  if (text.length < shortestPolicy || !/^\s*[{[]/.test(text)) return null;
  const last = lastParsed.find((each) => each.text === text);
  if (last !== undefined) return last.value;
  const parsed = parseJson(text);
  // `parseJson` returns unknown, but it only ever makes JSON.
  const json = "value" in parsed ? (parsed.value as Json) : null;
  const value = isObject(json) || Array.isArray(json) ? json : null;
  lastParsed = [{ text, value }, ...lastParsed.slice(0, 1)];
  return value;
}

/** Policies are asked for several times in a row, both sides of a change in turn: these two aren't read again. */
let lastParsed: readonly { readonly text: string; readonly value: Json | null }[] = [];

// The order in which people write rules. Policies that differ only in the order of their keys are shown as equal.
const keyOrder = ["enabled", "name", "type", "expressions", "actions", "config"];

/** A traffic policy as block-style YAML in lines, its keys in one fixed order. */
export function policyLines(value: Json, depth = 0): readonly string[] {
  if (typeof value !== "object" || value === null) return [policyScalar(value)];
  if (isList(value)) {
    if (value.length === 0) return ["[]"];
    if (depth >= deepestPolicy) return ["[…]"];
    return value.flatMap((item) => {
      const [first = "", ...rest] = policyLines(item, depth + 1);
      return [`- ${first}`, ...indented(rest)];
    });
  }
  const members = inKeyOrder(membersOf(value));
  if (members.length === 0) return ["{}"];
  if (depth >= deepestPolicy) return ["{…}"];
  return members.flatMap(([name, member]) => {
    const key = `${policyScalar(name)}:`;
    const lines = policyLines(member, depth + 1);
    const isShort = typeof member !== "object" || member === null || /^[[{]/.test(lines[0] ?? "");
    return isShort ? [`${key} ${lines.join("")}`] : [key, ...indented(lines)];
  });
}

/** A scalar in YAML, in quotes where it would read as something else. */
function policyScalar(value: string | number | boolean | null): string {
  return typeof value === "string" && !value.endsWith(":") ? formatFlow(value) : formatScalar(value);
}

function inKeyOrder(members: readonly (readonly [string, Json])[]): readonly (readonly [string, Json])[] {
  const rank = (name: string): number => {
    const place = keyOrder.indexOf(name);
    return place < 0 ? keyOrder.length : place;
  };
  return [...members].sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : a > b ? 1 : 0));
}

/** Whether a text is PEM, which is described in a line rather than shown. */
export function isPem(text: string): boolean {
  return text.trimStart().startsWith("-----BEGIN ");
}

/**
 * A PEM text in one line: the leaf's subject, its last day, the beginning of its SHA-256 fingerprint, and the length of
 * the chain with a hash that distinguishes chains of the same leaf. An unreadable text is described by its length and
 * hash. Nothing about a private key is ever shown.
 */
export function describePem(text: string): string {
  if (text.includes("PRIVATE KEY")) return "(secret)";
  const blocks = certificateBlocks(text);
  const leaf = blocks[0];
  const certificate = leaf === undefined ? null : parseCertificate(leaf);
  if (certificate === null) {
    return `(unreadable PEM, ${text.length} characters, sha256 of the text ${shortHash(text.trim())}…)`;
  }
  const chain =
    blocks.length > 1 ? `, chain of ${blocks.length} (sha256 ${shortHash(blocks.join("").replace(/\s/g, ""))}…)` : "";
  const fingerprint = certificate.fingerprint256.replaceAll(":", "").toLowerCase().slice(0, 12);
  return `certificate ${subjectOf(certificate)}${chain}, until ${isoDay(certificate.validTo)}, sha256 ${fingerprint}…`;
}

function parseCertificate(pem: string): X509Certificate | null {
  try {
    return new X509Certificate(pem);
  } catch {
    return null;
  }
}

function shortHash(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex").slice(0, 12);
}

function subjectOf(certificate: X509Certificate): string {
  const first =
    certificate.subject?.split("\n").find((part) => part.startsWith("CN=")) ?? certificate.subject?.split("\n")[0];
  return first === undefined || first === "" ? `serial ${certificate.serialNumber}` : visibleLine(first);
}

function isoDay(date: string): string {
  const time = Date.parse(date);
  return Number.isNaN(time) ? visibleLine(date) : new Date(time).toISOString().slice(0, 10);
}
