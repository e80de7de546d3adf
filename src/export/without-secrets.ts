import { type Value, isObject } from "../json.js";
import { type PolicyPath, mapSecrets, pathInWords } from "../kinds/policy/find-secrets.js";
import { isNamedSecret, isValueObject, secretPairName } from "../kinds/policy/secret-places.js";
import type { SecretPolicy } from "../kinds/policy/secret-policy.js";
import { isSecretName } from "../secret-names.js";
import { MASK } from "../secret.js";
import { escapeExpressions, roundTrips } from "./editable.js";

/** A policy as a manifest has it, without its secrets. */
export interface PolicyWithoutSecrets {
  readonly value: unknown;
  /** What the manifest names in place of each secret. */
  readonly variables: readonly { readonly variable: string; readonly path: string }[];
  /** What could not be done, in words that follow the policy's name. */
  readonly problems: readonly string[];
}

/**
 * A live policy with `{env: NAME}` in place of each secret.
 * @param nameFor gives a name to the variable for the secret that is called like this
 */
export function replaceSecrets(policy: SecretPolicy, nameFor: (called: string) => string): PolicyWithoutSecrets {
  const { document } = policy;
  if (document === undefined || !isObject(document) || !roundTrips(policy.reveal(), document)) {
    const masked = document === undefined ? policy.toJSON() : JSON.stringify(mapSecrets(document, () => MASK));
    // Where the secret is in a member that the document has lost, nothing would keep the rest from being sent without it.
    const value = masked.includes(MASK) ? masked : MASK;
    const problem = `holds secrets and can't be written as an object, so that the manifest has ${MASK} in their place: validate, plan and apply refuse it until you write them yourself`;
    return { value: escapeExpressions(value), variables: [], problems: [problem] };
  }
  const variables: { variable: string; path: string }[] = [];
  const problems: string[] = [];
  const value = mapSecrets(escapeExpressions(document) as Value, (secret, path) => {
    const variable = nameFor(secretNameAt(document, path));
    variables.push({ variable, path: pathInWords(path) });
    if (typeof secret !== "string") {
      const what = typeof secret === "number" ? "number" : "map";
      problems.push(`has a ${what} at ${pathInWords(path)}, and ${variable} would be sent as a text`);
    }
    return { env: variable };
  });
  return { value, variables, problems };
}

/** What a secret is called: the first telling name on the way, or the last name. */
function secretNameAt(document: Value, path: PolicyPath): string {
  let called = "";
  let value: Value | undefined = document;
  for (const step of path) {
    if (typeof step === "string" && !isSecretName(called)) {
      const beside = isValueObject(value) && !isSecretName(step) ? secretPairName(value) : null;
      called = isNamedSecret(isValueObject(value) ? value : {}, step) ? (beside ?? step) : step;
    }
    value = Reflect.get(Object(value), step) as Value | undefined;
  }
  return called;
}
