import { loadContext } from "./support/command-context.js";
import type { CommonFlags } from "./support/flags.js";
import type { Io } from "./support/io.js";
import { loadDesired } from "./support/load-desired.js";
import { writeResult } from "./support/output.js";

/** `graph`: what refers to what, from the manifests alone. */
export async function graphCommand(flags: CommonFlags, plain: Io): Promise<number> {
  const context = await loadContext(flags, plain);
  const manifests = await loadDesired(context, flags);
  const [{ manifestGraph: graphOf }, { graphFormats, renderGraph }] = await Promise.all([
    import("./support/manifest-graph.js"),
    import("../report/dependency-graph.js"),
  ]);
  const format = graphFormats.find((name) => name === flags.output) ?? "mermaid";
  await writeResult(renderGraph(graphOf(manifests), format), flags, context.io);
  return 0;
}
