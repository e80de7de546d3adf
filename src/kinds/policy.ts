import { type Json, type Value, type ValueObject, isObject, parseJson } from "../core/json.js";
import { compact, countSecretRoots, isSecretName, isShortName, isTokenList } from "../core/secret-names.js";
import { type SecretValue, MASK, Secret, hasSource, labelFor, secretChanged } from "../core/secret.js";
import { asJson } from "./codecs.js";
import type { Codec } from "./kind.js";
import type { DocumentPath } from "../core/document-path.js";

/** A traffic policy with secrets: as a whole it is one, and is shown with them masked. */
export class SecretPolicy extends Secret {
  /** @param text is sent as it stands; null = made of the document */
  constructor(
    source: string,
    readonly document: Value | undefined,
    text: string | null,
  ) {
    super(source, () => (text === null ? written(document) : { available: true, text }));
    // Whatever walks this object's members must not find a secret.
    Object.defineProperty(this, "document", { enumerable: false });
  }

  get unavailable(): readonly string[] {
    const missing = secretsIn(this.document).filter((secret) => secret.missing !== null);
    return [...new Set(missing.map((secret) => secret.source))];
  }

  texts(): readonly string[] {
    const sources = secretsIn(this.document).flatMap((secret) => (secret.missing === null ? [secret.reveal()] : []));
    return [...sources, ...secretTexts(this.document)];
  }

  override toJSON(): string {
    return this.document === undefined ? MASK : JSON.stringify(masked(this.document));
  }
}

function written(document: Value | undefined): SecretValue {
  const reasons = secretsIn(document).flatMap((secret) => secret.missing ?? []);
  if (reasons.length > 0) return { available: false, reason: [...new Set(reasons)].join("; ") };
  return { available: true, text: JSON.stringify(revealed(document ?? null)) };
}

function revealed(value: Value): Value {
  if (value instanceof Secret) return value.reveal();
  return withParts(value, partsOf(value), (part) => revealed(part.value));
}

function policyFromText(text: string, source: string): string | SecretPolicy {
  const roots = countSecretRoots(text);
  // Spares most policies the walk.
  if (roots === 0) return text;
  const document = readPolicy(text);
  // Of a member that is there twice the document has the last one only.
  const isComplete = document !== undefined && countSecretRoots(JSON.stringify(document)) === roots;
  return isComplete && !hasSecrets(document) ? text : new SecretPolicy(source, document, text);
}

function policyFromDocument(document: Value): string | SecretPolicy {
  const text = JSON.stringify(document);
  if (countSecretRoots(text) === 0 || !hasSecrets(document)) return text;
  const sources = new Set(secretsIn(document).map((secret) => secret.source));
  return new SecretPolicy(sources.size === 0 ? "the manifest" : [...sources].join(", "), document, null);
}

/** Undefined when it is no JSON, or nested too deep to walk. */
function readPolicy(text: string): Value | undefined {
  const parsed = parseJson(text);
  return "value" in parsed ? (parsed.value as Value) : undefined;
}

export const policy: Codec = {
  fromManifest: (value) => {
    if (value instanceof Secret) return value;
    return typeof value === "string" ? policyFromText(value, "the manifest") : policyFromDocument(value);
  },
  fromWire: (value = null) => {
    if (typeof value === "string") return policyFromText(value, "live");
    // Not as specified, but its secrets are none the less.
    return value instanceof Secret || !hasSecrets(value) ? value : new SecretPolicy("live", value, null);
  },
  toWire: (value) => {
    if (!(value instanceof Secret)) return { json: asJson(value), bind: {} };
    return { json: null, bind: { "": { secret: true, live: value.source === "live" } } };
  },
  same: samePolicy,
  comparable: (value, other) => {
    const document = documentOf(value);
    if (document === undefined) return value instanceof Secret ? value.toJSON() : value;
    return [skeleton(document, rootPlace(document, documentOf(other)))];
  },
};

export function documentOf(value: Value): Value | undefined {
  if (value instanceof SecretPolicy) return value.document;
  return typeof value === "string" ? readPolicy(value) : undefined;
}

export function samePolicy(a: Value, b: Value): boolean | null {
  if (a === b) return true;
  const [left, right] = [documentOf(a), documentOf(b)];
  return left !== undefined && right !== undefined ? sameDocument(left, right) : sameSecret(a, b);
}

/** The order of rules counts, not that of members. Null when only missing secrets leave it open. */
function sameDocument(a: Value | undefined, b: Value | undefined): boolean | null {
  if (a === b) return true;
  if (a instanceof Secret || b instanceof Secret) return sameSecret(a, b);
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  const [from, to] = [partsOf(a), partsOf(b)];
  if (Array.isArray(a) !== Array.isArray(b) || from.length !== to.length) return false;
  const others = new Map(to.map(({ step, value }) => [step, value]));
  let result: boolean | null = true;
  for (const { step, value } of from) {
    const same = others.has(step) && sameDocument(value, others.get(step));
    if (same === false) return false;
    if (same === null) result = null;
  }
  return result;
}

function sameSecret(...values: readonly (Value | undefined)[]): boolean | null {
  const [a, b] = values.map((value) => (typeof value === "string" ? Secret.of(value, "live") : value));
  return a instanceof Secret && b instanceof Secret ? a.sameAs(b) : false;
}

/** Wherever they differ, what is shown differs. */
export function shownBoth(before: Value, after: Value): readonly [Json, Json] {
  const [live, desired] = [documentOf(before), documentOf(after)];
  const [from, to] =
    live === undefined || desired === undefined
      ? [shownAlone(before), shownAlone(after)]
      : [
          JSON.stringify(masked(live, rootPlace(desired), { values: valuesIn(desired), mark: "" })),
          JSON.stringify(masked(desired, rootPlace(), { values: valuesIn(live), mark: " changed" })),
        ];
  return from === to ? [MASK, secretChanged] : [from, to];
}

function shownAlone(value: Value): Json {
  if (value instanceof Secret) return value.toJSON();
  return typeof value === "string" ? value : null;
}

type Values = ReadonlyMap<string, readonly Value[]>;

/** By their places, which items of a list share. */
function valuesIn(value: Value, { path } = rootPlace(), found = new Map<string, Value[]>()): Values {
  const others = found.get(path);
  if (others === undefined) found.set(path, [value]);
  else others.push(value);
  for (const part of partsOf(value, { ...rootPlace(), path })) valuesIn(part.value, part.place, found);
  return found;
}

/** @param beside the other side; a secret that nothing there equals gets the mark */
function masked(
  value: Value | undefined,
  at = rootPlace(),
  beside: Readonly<{ values: Values; mark: string }> = { values: new Map(), mark: "" },
): Json {
  const others = beside.values.get(at.path) ?? [];
  // What the manifest has here in clear is no secret, though another rule names a source for it.
  const place = others.includes(value ?? null) ? { ...at, sourced: false } : at;
  if (!isSecretAt(value, place))
    return asJson(withParts(value, partsOf(value, place), (part) => masked(part.value, part.place, beside)));
  const same = others.filter((other) => sameDocument(value, other) !== false).slice(0, 1);
  return `${label([value ?? null, ...same])}${same.length === 0 && others.length > 0 ? beside.mark : ""}`;
}

/** Without secrets, and without what stands where the other names sources. */
function skeleton(value: Value | undefined, place: PolicyPlace): string {
  if (isSecretAt(value, place)) return MASK;
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  const parts = partsOf(value, place).map((part) => [String(part.step), skeleton(part.value, part.place)] as const);
  if (Array.isArray(value)) return `[${parts.map(([, said]) => said).join(",")}]`;
  const members = parts.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, said]) => `${JSON.stringify(name)}:${said}`).join(",")}}`;
}

function label(value: Value | undefined): string {
  return labelFor(secretsIn(value).flatMap((secret) => (hasSource(secret) ? [secret.source] : [])));
}

/** Of pairs: `{name: Authorization, value: …}`. */
const nameMembers = new Set("name key header headername headerkey field param".split(" "));

const valueMembers = new Set("value values val headervalue fieldvalue paramvalue content default".split(" "));

const word = /^[a-z_-]{1,24}$/iu;

/** Only says where a value comes from: `${conn.client_ip}`. Other expressions may hold a secret. */
const reference =
  /^(?=.{1,300}$)(?:(?:bearer|basic|token) )?\$\{\s*(?:[a-z_][\w.]*|secrets\.get\(\s*(?:'[\w./-]*'|"[\w./-]*")(?:\s*,\s*(?:'[\w./-]*'|"[\w./-]*"))*\s*\))\s*\}$/iu;

type PolicyPlace = Readonly<{
  named: boolean;
  sourced: boolean;
  path: string;
  sources: ReadonlySet<string>;
}>;

/** What is live where a document names a source is a secret. */
export function rootPlace(...documents: readonly (Value | undefined)[]): PolicyPlace {
  const sources = new Set(documents.flatMap((document) => sourcesOf(document)));
  return { named: false, sourced: sources.has(""), path: "", sources };
}

const noSources: PolicyPlace = { named: false, sourced: false, path: "", sources: new Set() };

/** As paths in which `*` is each item of a list. */
export function sourcesOf(value: Value | undefined, path = ""): readonly string[] {
  if (value instanceof Secret) return [path];
  return partsOf(value, { ...noSources, path }).flatMap((part) => sourcesOf(part.value, part.place.path));
}

export type Part = Readonly<{
  step: string | number;
  value: Value;
  place: PolicyPlace;
}>;

/** What stands directly inside; nothing inside of a secret. Everything walks policies by it. */
export function partsOf(value: Value | undefined, within: PolicyPlace = noSources): readonly Part[] {
  const { named, path, sourced, sources } = within;
  if (Array.isArray(value)) {
    const place = { named, path: `${path}/*`, sourced: sourced || sources.has(`${path}/*`), sources };
    return (value as readonly Value[]).map((item, step) => ({ step, value: item, place }));
  }
  if (!isValueObject(value)) return [];
  return Object.keys(value).map((step) => {
    const at = `${path}/${step}`;
    const place = { named: isNamedSecret(value, step), path: at, sourced: sources.has(at), sources };
    return { step, value: value[step] ?? null, place };
  });
}

export function withParts(value: Value | undefined, parts: readonly Part[], map: (part: Part) => Value): Value {
  if (Array.isArray(value)) return parts.map(map);
  return isValueObject(value) ? Object.fromEntries(parts.map((part) => [part.step, map(part)])) : (value ?? null);
}

/** Under the name of a secret each item of a list is one. */
function isSecretAt(value: Value | undefined, { named, sourced }: PolicyPlace): boolean {
  if (value instanceof Secret) return true;
  if (Array.isArray(value)) return false;
  return (sourced || named) && holdsText(value, !sourced);
}

function holdsText(value: Value | undefined, exceptReferences: boolean): boolean {
  if (typeof value === "string") return value !== "" && !(exceptReferences && reference.test(value));
  if (typeof value === "number" || value instanceof Secret) return true;
  if (isValueObject(value) && hasOddNames(value)) return true;
  return partsOf(value).some((part) => holdsText(part.value, exceptReferences));
}

function hasSecrets(value: Value | undefined, place = noSources): boolean {
  return isSecretAt(value, place) || partsOf(value, place).some((part) => hasSecrets(part.value, part.place));
}

function secretTexts(value: Value | undefined, place = noSources, inside = false): readonly string[] {
  const isInside = inside || isSecretAt(value, place);
  if (typeof value === "string") return isInside ? [value] : [];
  return partsOf(value, place).flatMap((part) => secretTexts(part.value, part.place, isInside));
}

function isNamedSecret(object: ValueObject, member: string): boolean {
  const value = object[member];
  if (isTokenList(member)) return !isDescription(value);
  if (isSecretName(member)) return true;
  if (isShortName(member) && ![value].flat().some(isValueObject)) return true;
  return valueMembers.has(compact(member)) && namesSecret(object);
}

/** Names may be secrets themselves: `{tokens: {"4c1f…": "alice"}}`. */
function hasOddNames(object: ValueObject): boolean {
  return !Object.keys(object).every((member) => word.test(member));
}

function namesSecret(object: ValueObject): boolean {
  return Object.entries(object).some(
    ([member, name]) =>
      nameMembers.has(compact(member)) && typeof name === "string" && (isSecretName(name) || isShortName(name)),
  );
}

/** `tokens` may say where tokens are found, in objects that hold none. */
function isDescription(value: Value | undefined): boolean {
  if (!Array.isArray(value)) return false;
  return (value as readonly Value[]).every((item) => isValueObject(item) && !holdsValues(item));
}

function holdsValues(value: Value | undefined): boolean {
  if (Array.isArray(value)) return (value as readonly Value[]).some(holdsValues);
  if (!isValueObject(value)) return false;
  return Object.keys(value).some((member) => valueMembers.has(compact(member)) || holdsValues(value[member]));
}

export function isValueObject(value: Value | undefined): value is ValueObject {
  return isObject(value) && !(value instanceof Secret);
}

export function secretsIn(value: Value | undefined): readonly Secret[] {
  if (value instanceof Secret) return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap((part: Value | undefined) => secretsIn(part));
}

/** A map whose names may be secrets is replaced whole, unless it names sources. */
export function mapSecrets(
  value: Value,
  replace: (secret: Value, path: DocumentPath, named: boolean) => Value,
  path: DocumentPath = [],
  named = false,
): Value {
  const isWhole = named && isValueObject(value) && hasOddNames(value) && secretsIn(value).length === 0;
  if (isWhole || (!Array.isArray(value) && !isValueObject(value)))
    return isSecretAt(value, { ...noSources, named }) ? replace(value, path, named) : value;
  return withParts(value, partsOf(value, { ...noSources, named }), ({ place, step, value: part }) =>
    mapSecrets(part, replace, [...path, step], named || place.named),
  );
}

export function hasUnnamedSources(value: Value | undefined, named = false): boolean {
  if (value instanceof Secret) return !named;
  return partsOf(value).some((part) => hasUnnamedSources(part.value, named || part.place.named));
}

export function isSource(value: unknown): value is { readonly env: string } | { readonly file: string } {
  if (!isObject(value)) return false;
  const [[member, name] = [], ...rest] = Object.entries(value);
  return rest.length === 0 && (member === "env" || member === "file") && typeof name === "string";
}

export function holdsSource(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return isSource(value) || Object.values(value).some(holdsSource);
}

/** The list grows: another word is only a warning. */
export const knownPhases: readonly string[] = [
  "on_tcp_connect",
  "on_http_request",
  "on_http_response",
  "on_event_stream_message",
];

export const knownActions: readonly string[] = (
  "add-headers ai-gateway basic-auth circuit-breaker close-connection compress-response custom-response deny " +
  "forward-internal http-request jwt-validation log oauth openid-connect owasp-crs-request owasp-crs-response " +
  "rate-limit redirect remove-headers request-body-find-replace response-body-find-replace restrict-ips saml " +
  "set-vars sse-find-replace terminate-tls url-rewrite verify-webhook"
).split(" ");
