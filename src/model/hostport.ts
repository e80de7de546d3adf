import type { Json } from "../json.js";
import { Rejection } from "./rejection.js";
import { wrongType } from "./read-body.js";
import type { Reader } from "./read-body.js";

/** Two hostports with one key are the same place: host names know no case. */
export function hostportKey(hostport: string): string {
  return hostport.toLowerCase();
}

/** A list of hostports, none twice; keeps its order. */
export const hostports: Reader<readonly string[]> = (value, at) => {
  if (!Array.isArray(value)) throw wrongType(at, "a list of host:port", value);
  const list = value as readonly Json[];
  const seen = new Set<string>();
  return list.map((each, index) => {
    if (typeof each !== "string") throw wrongType(`${at}[${index}]`, "a string", each);
    const key = hostportKey(each);
    if (seen.has(key)) throw new Rejection(400, "value-invalid", `${at}[${index}] repeats ${each}.`);
    seen.add(key);
    return each;
  });
};

/** Rejects what is not `host:port` with a port from 1 to 65535. */
export function refuseOddHostports(list: readonly string[]): void {
  for (const [index, each] of list.entries()) {
    const parts = /^([^\s/:]+|\[[0-9a-f:]+\]):(\d{1,5})$/i.exec(each);
    const port = Number(parts?.[2]);
    if (parts === null || port < 1 || port > 65535) {
      throw new Rejection(400, "value-invalid", `hostports[${index}] must be host:port with a port from 1 to 65535.`);
    }
  }
}
