import { resolve } from "node:path";
import { readBoundedSync } from "../files/read-bounded.js";
import { isObject } from "../json.js";
import { isAddress } from "../kinds/names.js";

/** A larger plan takes too long to read while somebody types, in bytes. */
const mostBytes = 4 * 1024 * 1024;

/**
 * What a saved plan refuses for an address: the addresses that `--allow` may name, with the codes of the refusals.
 * Never throws.
 * @param file relative to `cwd`
 */
export function refusalsIn(file: string, cwd: string): readonly (readonly [address: string, code: string])[] {
  try {
    const plan: unknown = JSON.parse(readBoundedSync(resolve(cwd, file), mostBytes).toString("utf8"));
    const refusals: unknown = isObject(plan) ? plan["refusals"] : [];
    return (Array.isArray(refusals) ? refusals : []).flatMap((refusal: unknown) => {
      const { address, code } = isObject(refusal) ? refusal : {};
      const isOne = typeof address === "string" && isAddress(address) && typeof code === "string";
      return isOne ? [[address, `refused: ${code}`] as const] : [];
    });
  } catch {
    return [];
  }
}
