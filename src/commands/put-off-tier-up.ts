import { setFlagsFromString } from "node:v8";

/**
 * Lets V8 compile WebAssembly a second time, for speed, only where there is a lot to run. undici parses HTTP in it, and on
 * Node 20 a handful of answers is enough: then the program waits at its end for a compilation that nobody needs any
 * more, longer than the plan itself took. Later versions of V8 begin as late by themselves.
 * @param v8 the version of V8, as `process.versions` has it
 */
export function delayWasmTierUp(v8: string): void {
  if (v8.startsWith("11.")) setFlagsFromString("--wasm-tiering-budget=100000000");
}
