import { createRequire } from "node:module";
import type * as Yaml from "yaml";
import type { Alias, Scalar, YAMLMap, YAMLSeq } from "yaml";

const require = createRequire(import.meta.url);
let loaded: typeof Yaml | undefined;

/** The YAML library, loaded when it is first needed: that takes as long as starting Node, and plain documents get by without. */
export function yaml(): typeof Yaml {
  loaded ??= require("yaml") as typeof Yaml;
  return loaded;
}

/** Whether a node is `*name`. */
export function isAlias(node: unknown): node is Alias {
  return yaml().isAlias(node);
}

/** Whether a node is a map. */
export function isMap(node: unknown): node is YAMLMap {
  return yaml().isMap(node);
}

/** Whether a node is a scalar. */
export function isScalar(node: unknown): node is Scalar {
  return yaml().isScalar(node);
}

/** Whether a node is a list. */
export function isSeq(node: unknown): node is YAMLSeq {
  return yaml().isSeq(node);
}
