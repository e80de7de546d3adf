import type { Value } from "../../json.js";
import { Secret } from "../../secret.js";
import {
  hasOddNames,
  isNamedSecret,
  isPairedSecret,
  isSecretPlace,
  isValueObject,
  secretsIn,
} from "./secret-places.js";

/** Where something stands in a policy document. */
export type PolicyPath = readonly (string | number)[];

/**
 * A policy document with each single secret in it replaced: texts, numbers and sources, at whatever depth they stand.
 * `named` tells whether it stands under the name of a secret. Below such a name a map is replaced as a whole when its members' names may be secrets, too; where a manifest
 * names sources they are written by hand.
 */
export function mapSecrets(
  document: Value,
  replace: (secret: Value, path: PolicyPath, named: boolean) => Value,
): Value {
  const visit = (value: Value, path: PolicyPath, named: boolean): Value => {
    if (value instanceof Secret) return replace(value, path, named);
    if (Array.isArray(value)) {
      const list: readonly Value[] = value;
      return list.map((item, at) => visit(item, [...path, at], named || isPairedSecret(list, at)));
    }
    if (!isValueObject(value) || (named && hasOddNames(value) && secretsIn(value).length === 0))
      return isSecretPlace(value, named) ? replace(value, path, named) : value;
    return Object.fromEntries(
      Object.keys(value).map((member) => {
        const part = value[member] ?? null;
        return [member, visit(part, [...path, member], named || isNamedSecret(value, member))];
      }),
    );
  };
  return visit(document, [], false);
}

/** A path in words: `on_http_request[0].actions[1].config.client_secret`. */
export function pathInWords(path: PolicyPath): string {
  return path.reduce<string>((words, step) => {
    if (typeof step === "number") return `${words}[${step}]`;
    const name = /^[\w-]+$/u.test(step) ? step : JSON.stringify(step);
    return words === "" ? name : `${words}.${name}`;
  }, "");
}
