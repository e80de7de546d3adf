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
 * What puts off V8's optimizing compilation, by version of V8: those of Node 20, 22, 24 and 26, on which it was measured.
 * A flag that a version does not have would be an error on stderr of every command.
 */
const laterOptimization: readonly (readonly [version: string, flags: readonly string[]])[] = [
  ["11.3.", ["--wasm-tiering-budget=100000000", "--interrupt-budget=600000"]],
  ["12.4.", ["--invocation-count-for-turbofan=20000"]],
  ["13.6.", ["--invocation-count-for-turbofan=20000"]],
  ["14.6.", ["--invocation-count-for-turbofan=20000"]],
];

/**
 * Delays V8's optimizing compilation. A command ends after a second or two: until then most code runs too seldom to earn
 * back what optimizing it costs, a third of all work in a plan of 10,000. What runs long is optimized a moment later. On
 * Node 20 the same is true of WebAssembly, with which undici parses HTTP: a handful of responses starts its
 * compilation, and the program then waits for it at its end. Called before anything else is loaded, because V8 uses kept
 * compiled code only with the flags that it was compiled with.
 * @param v8 the version of V8, as in `process.versions`
 * @param setFlag of `node:v8`
 */
export function delayOptimization(v8: string, setFlag: (flag: string) => void): void {
  const [, flags = []] = laterOptimization.find(([version]) => v8.startsWith(version)) ?? [];
  for (const flag of flags) setFlag(flag);
}
