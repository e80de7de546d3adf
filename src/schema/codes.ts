/** One kind of problem, as the documentation lists it. */
export interface SchemaCodeEntry {
  readonly description: string;
  readonly remedy: string;
}

/** What the schemas can find wrong with a manifest or the configuration. The codes are stable. */
export const schemaCodes = {
  "not-a-map": {
    description: "The document is not a map of members.",
    remedy: "Begin it with apiVersion, kind and what belongs to the kind.",
  },
  "unknown-api-version": {
    description: "apiVersion is not one that this version of edgewise reads.",
    remedy: "Write apiVersion: edgewise/v1.",
  },
  "unknown-kind": {
    description: "kind is missing or names no known kind.",
    remedy: "Use one of the kinds that `edgewise schema` lists.",
  },
  "unknown-member": {
    description: "A member that the schema does not know, often a misspelling.",
    remedy: "Correct its name or remove it; `edgewise explain KIND` lists what there is.",
  },
  "read-only-member": {
    description: "A member that the service sets itself and nobody can ask for.",
    remedy: "Remove it.",
  },
  "reserved-member": {
    description: "A member whose name edgewise needs for itself.",
    remedy: "Give it another name.",
  },
  "missing-member": {
    description: "A required member is missing.",
    remedy: "Add it; `edgewise explain KIND.field` tells what it takes.",
  },
  "wrong-type": {
    description: "A value of the wrong type: a number where text is needed, a map where a list is needed.",
    remedy: "Write a value of the right type; text that looks like something else needs quotes.",
  },
  "not-allowed-value": {
    description: "A value that is none of those that are allowed.",
    remedy: "Use one of the allowed values.",
  },
  "bad-format": {
    description: "A text that lacks the form that is needed here: a name, an id, an address, a duration.",
    remedy: "Write it in the form that the message describes.",
  },
  "too-long": {
    description: "A text that is longer than the service takes. Descriptions are counted in bytes of UTF-8.",
    remedy: "Shorten it.",
  },
  "empty-value": {
    description: "A text or list that must not be empty is empty.",
    remedy: "Fill it in or remove the member.",
  },
  "out-of-range": {
    description: "A number outside of what is allowed.",
    remedy: "Use a number in the range that the message names.",
  },
  "choose-one": {
    description: "A map that must hold exactly one of several members holds none or more.",
    remedy: "Name exactly one of them.",
  },
  "duplicate-item": {
    description: "A list says the same thing twice.",
    remedy: "Remove one of the two.",
  },
  "unknown-ignored-field": {
    description: "lifecycle.ignore names a field that the kind does not have.",
    remedy: "Correct the path; it begins with spec.",
  },
  "bad-base-url": {
    description: "The base URL can't be used: no https URL, or one with a user, query or fragment.",
    remedy: "Write it like https://api.example.com.",
  },
  "base-url-elsewhere": {
    description:
      "The configuration's base URL has another origin than EDGEWISE_BASE_URL. A change of the file must not be able to send the API key elsewhere.",
    remedy: "Correct the one that is wrong, or keep only EDGEWISE_BASE_URL.",
  },
  "bad-version-header": {
    description: "The header for the API's version has another meaning, or is none.",
    remedy: "Use the header that the service documents for its version.",
  },
  "too-many-errors": {
    description: "The document has more errors than are worth showing.",
    remedy: "Correct the ones that are shown, then look again.",
  },
} as const satisfies { readonly [code: string]: SchemaCodeEntry };

export type SchemaCode = keyof typeof schemaCodes;
