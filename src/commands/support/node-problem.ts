/** The oldest Node that the packages in use run on. */
const oldest = [20, 18, 1] as const;

/** Why this version of Node can't run the program, or null when it can. */
export function nodeProblem(version: string): string | null {
  const parts = version.split(".").map(Number);
  for (const [index, wanted] of oldest.entries()) {
    const have = parts[index] ?? 0;
    if (have > wanted) return null;
    if (have < wanted)
      return `edgewise needs Node ${oldest.join(".")} or newer, and this is Node ${version}. Install a newer one.`;
  }
  return null;
}
