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
