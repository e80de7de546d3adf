import type * as Crypto from "node:crypto";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
let loaded: typeof Crypto | undefined;

/** `node:crypto`, loaded when it is first needed: an import of it takes milliseconds that most commands have no use for. */
export function nodeCrypto(): typeof Crypto {
  loaded ??= require("node:crypto") as typeof Crypto;
  return loaded;
}

/** Loads it ahead of its first use, while there is time. */
export function preloadCrypto(): void {
  // Only the use of a member loads it, and the first hash takes longer than others.
  nodeCrypto().createHash("sha256");
}
