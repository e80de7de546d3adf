/** The oldest Node that all dependencies support. */
const oldest = [20, 19, 0] as const;

/** Why this version of Node can't run the program; null when it can. */
export function nodeProblem(version: string): string | null {
  const parts = version.split(".").map(Number);
  for (const [index, wanted] of oldest.entries()) {
    const have = parts[index] ?? 0;
    if (have > wanted) return null;
    if (have < wanted)
      return `edgewise needs Node ${oldest.join(".")} or newer, but this is Node ${version}. Install a newer version.`;
  }
  return null;
}

/**
 * Delays V8's optimizing compilation of WebAssembly. undici parses HTTP with WebAssembly, and on Node 20 a handful of
 * responses starts that compilation: the program then waits for it at its end, longer than the plan itself took. Later
 * versions of V8 start as late by default. Called before anything else is loaded, because V8 uses kept compiled code only
 * with the flags that it was compiled with.
 * @param v8 the version of V8, as in `process.versions`
 * @param setFlag of `node:v8`
 */
export function delayWasmTierUp(v8: string, setFlag: (flag: string) => void): void {
  if (v8.startsWith("11.")) setFlag("--wasm-tiering-budget=100000000");
}
