import type { Graph } from "../graph/graph-of.js";
import { loadContext } from "./context.js";
import type { CommonFlags } from "./flags.js";
import type { Io } from "./io.js";
import { loadDesired } from "./load-desired.js";
import { writeResult } from "./write-result.js";

/** `graph`: what refers to what, from the manifests alone. */
export async function graphCommand(flags: CommonFlags, plain: Io): Promise<number> {
  const context = await loadContext(flags, plain);
  const manifests = await loadDesired(context, flags);
  const { graphOf } = await import("../graph/graph-of.js");
  await writeResult(await render(graphOf(manifests), flags.output), flags, context.io);
  return 0;
}

async function render(graph: Graph, format: string | undefined): Promise<string> {
  switch (format) {
    case "json":
      return (await import("../report/safe-json.js")).safeJson(graph);
    case "dot":
      return (await import("../graph/render-dot.js")).renderDot(graph);
    default:
      return (await import("../graph/render-mermaid.js")).renderMermaid(graph);
  }
}
