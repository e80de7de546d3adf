import { setFlagsFromString } from "node:v8";

/**
 * Delays V8's optimizing compilation of WebAssembly. undici parses HTTP with WebAssembly, and on Node 20 a handful of
 * responses starts that compilation: the program then waits for it at its end, longer than the plan itself took. Later
 * versions of V8 start as late by default. Called before anything else is loaded, because V8 uses kept compiled code only
 * with the flags that it was compiled with.
 * @param v8 the version of V8, as in `process.versions`
 */
export function delayWasmTierUp(v8: string): void {
  if (v8.startsWith("11.")) setFlagsFromString("--wasm-tiering-budget=100000000");
}
