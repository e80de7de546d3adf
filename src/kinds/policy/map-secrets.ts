import { Secret } from "../../secret.js";
import type { Value, ValueObject } from "../value.js";
import { isNamedSecret, isSecretPlace, isValueObject, secretsIn } from "./secret-places.js";

/** Where something stands in a policy document. */
export type PolicyPath = readonly (string | number)[];

/** Names that are no secrets themselves: words, without a digit. */
const word = /^[a-z_-]{1,40}$/iu;

/**
 * A policy document with each single secret in it replaced: texts, numbers and sources, at whatever depth they stand.
 * `named` tells whether it stands under the name of a secret. Below such a name a map is replaced as a whole when its members' names may be secrets, too.
 */
export function mapSecrets(
  document: Value,
  replace: (secret: Value, path: PolicyPath, named: boolean) => Value,
): Value {
  const visit = (value: Value, path: PolicyPath, named: boolean): Value => {
    if (value instanceof Secret) return replace(value, path, named);
    if (Array.isArray(value)) {
      return (value as readonly Value[]).map((item, index) => visit(item, [...path, index], named));
    }
    if (!isValueObject(value) || (named && isTelling(value)))
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

/** Whether the members' names may be secrets themselves; where a manifest names sources they are written by hand. */
function isTelling(object: ValueObject): boolean {
  return !Object.keys(object).every((member) => word.test(member)) && secretsIn(object).length === 0;
}

/** A path in words: `on_http_request[0].actions[1].config.client_secret`. */
export function pathInWords(path: PolicyPath): string {
  return path.reduce<string>((words, step) => {
    if (typeof step === "number") return `${words}[${step}]`;
    const name = /^[\w-]+$/u.test(step) ? step : JSON.stringify(step);
    return words === "" ? name : `${words}.${name}`;
  }, "");
}
