import type { Value, ValueObject } from "../../json.js";
import { isSecretName } from "../../secret-names.js";
import { Secret } from "../../secret.js";
import { documentOf } from "./policy-codec.js";
import {
  hasOddNames,
  isNamedSecret,
  isPairedSecret,
  isSecretPlace,
  isValueObject,
  secretsIn,
  shortestMasked,
} from "./secret-places.js";
import { type PolicyPlace, documentPlace, isSecretAt, placeOfItem, placeOfMember, sourcesOf } from "./source-places.js";

/** Where something stands in a policy document. */
export type PolicyPath = readonly (string | number)[];

/**
 * A policy document with each single secret in it replaced: texts, numbers and sources, at whatever depth they stand.
 * Below the name of a secret a map is replaced as a whole when the names of its members may be secrets, too, unless a
 * manifest names sources in it: somebody wrote those names by hand.
 * @param replace gets `named`: whether the secret stands under the name of one
 */
export function mapSecrets(
  document: Value,
  replace: (secret: Value, path: PolicyPath, named: boolean) => Value,
): Value {
  // Most policies hold no secret: nothing is made anew for those, not even a path.
  const path: (string | number)[] = [];
  const inside = (step: string | number, value: Value, named: boolean): Value => {
    path.push(step);
    const replaced = visit(value, named);
    path.pop();
    return replaced;
  };
  const visit = (value: Value, named: boolean): Value => {
    if (value instanceof Secret) return replace(value, [...path], named);
    if (Array.isArray(value)) {
      const list: readonly Value[] = value;
      const items = list.map((item, at) => inside(at, item, named || isPairedSecret(list, at)));
      return items.every((item, at) => item === list[at]) ? list : items;
    }
    if (!isValueObject(value) || (named && hasOddNames(value) && secretsIn(value).length === 0))
      return isSecretPlace(value, named) ? replace(value, [...path], named) : value;
    let changed: Map<string, Value> | null = null;
    for (const member of Object.keys(value)) {
      const part = value[member] ?? null;
      const replaced = inside(member, part, named || isNamedSecret(value, member));
      if (replaced !== part) (changed ??= new Map()).set(member, replaced);
    }
    return changed === null ? value : withMembers(value, changed);
  };
  return visit(document, false);
}

/** An object with some of its members replaced. */
function withMembers(object: ValueObject, changed: ReadonlyMap<string, Value>): ValueObject {
  return Object.fromEntries(
    Object.keys(object).map((member) => [member, changed.has(member) ? changed.get(member) : object[member]]),
  );
}

/** A path in words: `on_http_request[0].actions[1].config.client_secret`. */
export function pathInWords(path: PolicyPath): string {
  return path.reduce<string>((words, step) => {
    if (typeof step === "number") return `${words}[${step}]`;
    const name = /^[\w-]+$/u.test(step) ? step : JSON.stringify(step);
    return words === "" ? name : `${words}.${name}`;
  }, "");
}

/** The secrets that stand in a policy in clear; sources that a manifest names are not included. */
export function clearTextsOf(policy: Value): readonly string[] {
  const document = documentOf(policy);
  if (document === undefined) return [];
  const found = new Set<string>();
  mapSecrets(document, (secret, _path, named) => {
    const parts = textsAndNamesIn(secret).flatMap((text) => secretPartsOf(text, named));
    for (const part of parts) if (part.length >= shortestMasked) found.add(part);
    return secret;
  });
  return [...found];
}

/**
 * The parts of a text that are secret: the values of headers without their names, credentials without their scheme, the
 * password of an address. What is around them stands in other places, too, that hold no secret. A text under the name
 * of a secret is one as a whole; of other texts that hold one somewhere (a command, JSON) no part is known.
 */
function secretPartsOf(text: string, named: boolean): readonly string[] {
  if (text.includes("-----BEGIN")) return [text];
  const lines = text.split(/\r\n|\r|\n/u);
  const headers = lines.flatMap((line) => {
    const [, name = "", rest = ""] = header.exec(line) ?? [];
    return isSecretName(name) ? [withoutScheme(rest)] : [];
  });
  if (headers.length > 0) return headers;
  if (named) return [withoutScheme(text)];
  const passwords = [...text.matchAll(password)].map(([, found = ""]) => found);
  const queries = [...text.matchAll(query)].flatMap(([, name = "", value = ""]) => (isSecretName(name) ? [value] : []));
  if (passwords.length + queries.length > 0) return [...passwords, ...queries];
  const bare = withoutScheme(text);
  return bare === text ? [] : [bare];
}

function withoutScheme(text: string): string {
  return text.replace(/^\s*(?:bearer|basic|token)\s+(?=\S)/iu, "");
}

const header = /^\s*([\w-]{1,64})\s*:\s*(\S.*)$/u;

/** In an address: `https://user:password@host`. */
const password = /:\/\/[^\s/@:]{0,200}:([^\s/@]{1,1000})@/gu;

const query = /[?&]([\w-]{1,64})=([^&#\s]{1,1000})/gu;

/** Names of members, too: below the name of a secret they may be one. */
function textsAndNamesIn(value: Value | undefined): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  if (typeof value !== "object" || value === null || value instanceof Secret) return [];
  if (Array.isArray(value)) return (value as readonly Value[]).flatMap(textsAndNamesIn);
  return Object.entries(value).flatMap(([member, part]) => [member, ...textsAndNamesIn(part)]);
}

/** The texts that a live policy holds where another policy, a manifest's, names sources. */
export function liveSecretsOf(live: Value, desired: Value): readonly string[] {
  const [document, sources] = [documentOf(live), sourcesOf(documentOf(desired))];
  if (document === undefined || sources === undefined) return [];
  const found: string[] = [];
  const visit = (value: Value | undefined, place: PolicyPlace): void => {
    if (isSecretAt(value, place)) found.push(...textsIn(value));
    else if (Array.isArray(value)) {
      const list: readonly Value[] = value;
      for (const [at, item] of list.entries()) visit(item, placeOfItem(list, at, place));
    } else if (isValueObject(value))
      for (const member of Object.keys(value)) visit(value[member], placeOfMember(value, member, place));
  };
  visit(document, { ...documentPlace, sources });
  return found;
}

function textsIn(value: Value | undefined): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap((part: Value | undefined) => textsIn(part));
}
