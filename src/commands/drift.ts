import type { Drift } from "../plan/drift-findings.js";
import { connectReading, loadContext } from "./support/command-context.js";
import type { DriftFlags } from "./support/flags.js";
import type { Io } from "./support/io.js";
import { loadAndList } from "./support/load-desired.js";
import { pathPrefix, textOptions, writeResult } from "./support/output.js";
import { makePlanFrom, planOptions } from "./support/planning.js";

/** `drift`: what differs, as findings; exits 2 when there are any. Only reads, by its client's construction. */
export async function driftCommand(flags: DriftFlags, plain: Io): Promise<number> {
  const context = await loadContext(flags, plain);
  const { config, io } = context;
  const client = await connectReading(context, flags);
  try {
    const { desired, ...ahead } = await loadAndList(context, flags, client);
    const options = planOptions(context, flags, desired, { rehearse: false, judged: "drift" });
    const [{ plan, live, normalForms }, { driftOf }] = await Promise.all([
      makePlanFrom(context, client, desired, options, ahead),
      import("../plan/drift-findings.js"),
    ]);
    const looking = {
      stack: options.stack,
      previousStacks: options.previousStacks,
      unmanaged: flags.unmanaged === true,
      expiresWithinMs: flags.expiresWithin ?? null,
      now: io.now(),
    };
    const drift = driftOf(plan, live, looking, normalForms);
    await writeResult(await renderDrift(drift, flags, io, config.root), flags, io);
    return drift.clean ? 0 : 2;
  } finally {
    await client.close();
  }
}

async function renderDrift(drift: Drift, flags: DriftFlags, io: Io, root: string): Promise<string> {
  switch (flags.output ?? "text") {
    case "json":
      return (await import("../report/safe-json.js")).renderDriftJson(drift);
    case "markdown":
      return (await import("../report/drift-markdown.js")).renderDriftMarkdown(drift);
    case "html":
      return (await import("../report/drift-html.js")).renderDriftHtml(drift);
    case "github":
      return (await import("../report/github-annotations.js")).renderDriftGithub(drift, {
        pathPrefix: await pathPrefix(root),
      });
    case "junit":
      return (await import("../report/drift-junit.js")).renderDriftJunit(drift);
    case "sarif":
      return (await import("../report/sarif.js")).renderDriftSarif(drift, { pathPrefix: await pathPrefix(root) });
    default:
      return (await import("../report/drift-text.js")).renderDriftText(drift, {
        color: io.color && flags.outputFile === undefined,
        ...textOptions(flags, io),
      });
  }
}
