import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { plainEnvironment } from "../../../scripts/sandbox.mjs";
import { serve } from "../../api/support/server.ts";
import { root } from "../../repository/source-files.ts";
import { temporary } from "../../support/cli.ts";
import { workflow } from "./recipes.ts";
import { runBash } from "./run-bash.ts";

it("the notification recipe tells a channel of each journal and of a failed run, without what calls people", async () => {
  const receiver = await serve((_, response) => response.end());
  const folder = await temporary();
  mkdirSync(join(folder, "results/edgewise-journal-prod"), { recursive: true });
  const journal = [
    { event: "run-started", stack: "<!channel>", commit: "0".repeat(40), by: "ann" },
    { event: "operation-ended", address: "TLSEdge/a", status: "done" },
    { event: "run-ended", outcome: "applied" },
  ];
  const lines = journal.map((entry) => `${JSON.stringify({ run: "r1", ...entry })}\n`);
  writeFileSync(join(folder, "results/edgewise-journal-prod/journal.jsonl"), lines.join(""));
  const step = workflow("edgewise-notify.yaml").jobs["notify"]?.steps?.find(({ name }) => name === "Tell");
  const script = join(root, "examples/ci/notify/notify.mjs");
  const { status, text } = await runBash(String(step?.run).replace(".github/edgewise/notify.mjs", script), {
    cwd: folder,
    env: {
      ...plainEnvironment(),
      NOTIFY_URL: `${receiver.baseUrl}/services/secret-part`,
      EVENT: "push",
      CONCLUSION: "failure",
      NOTIFY_TITLE: "edgewise apply",
    },
  });
  expect(status, text).toBe(0);
  expect(text).not.toContain("secret-part");
  expect(receiver.seen.map(({ body }) => String(JSON.parse(body).text).split("\n")[0])).toEqual([
    "🟢 &lt;!channel&gt;: applied, 1 of 1 operations done",
    "🔴 edgewise apply: the pipeline failed, look at the run",
  ]);
});
