import type { Value, ValueObject } from "../../core/json.js";
import { Secret } from "../../core/secret.js";
import { hasOddNames, isNamedSecret, isSecretPlace, isValueObject, secretsIn } from "./secret-places.js";

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
      const items = list.map((item, at) => inside(at, item, named));
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
