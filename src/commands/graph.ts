import { loadContext } from "./context.js";
import type { CommonFlags } from "./flags.js";
import type { Io } from "./io.js";
import { loadDesired } from "./load-desired.js";
import { writeResult } from "./write-result.js";

/** `graph`: what refers to what, from the manifests alone. */
export async function graphCommand(flags: CommonFlags, plain: Io): Promise<number> {
  const context = await loadContext(flags, plain);
  const manifests = await loadDesired(context, flags);
  const [{ manifestGraph: graphOf }, { graphFormats, renderGraph }] = await Promise.all([
    import("./graph-of.js"),
    import("../report/dependency-graph.js"),
  ]);
  const format = graphFormats.find((name) => name === flags.output) ?? "mermaid";
  await writeResult(renderGraph(graphOf(manifests), format), flags, context.io);
  return 0;
}
