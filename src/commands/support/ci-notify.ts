import { type Notice, driftNotice, failureNotice, postNotice, resultNotice } from "../../ci/notify.js";
import type { SendRequest } from "../../ci/host-api.js";
import { loadConfig } from "../../config/load-config.js";
import type { CiContext, CiReport } from "./ci-context.js";
import { whoRuns } from "./who-runs.js";

/** Tells the receivers that the stacks' configurations name. What fails here changes nothing of the step itself. */
export async function notifyAll(reports: readonly CiReport[], context: CiContext, send: SendRequest): Promise<void> {
  const { flags, io, log, run } = context;
  const inVain = new Set<string>();
  for (const report of reports) {
    const { config, environment, slug } = report;
    const told = toldOf(report);
    if (slug === null || told === null) continue;
    const place = { config, ...(environment === null ? {} : { environment }) };
    const { notify } = await loadConfig({ cwd: io.cwd, env: io.env, flags: { ...flags, ...place } });
    const commit = report.plan?.commit ?? run.head;
    const by = io.redactor.redact(whoRuns(io.env));
    const notice: Notice = { ...told, stack: report.stack ?? slug, commit, by, run: run.runUrl };
    for (const { on, secret: secretIn, type, url: urlIn } of notify) {
      if (!on.includes(told.event) || inVain.has(urlIn)) continue;
      const [url, secret] = [io.env[urlIn] ?? "", secretIn === null ? null : (io.env[secretIn] ?? "")];
      for (const each of [url, secret ?? ""]) io.redactor.addSecret(each);
      const missing = url === "" ? urlIn : secret === "" ? secretIn : null;
      const why =
        missing === null
          ? await postNotice(notice, { now: io.now(), secret, send, type, url })
          : `${missing} is not set`;
      if (why === null) continue;
      inVain.add(urlIn);
      log.warning(`the receiver in ${urlIn} was not notified: ${why}`);
    }
  }
}

function toldOf({ drift, error, result }: CiReport): Pick<Notice, "event" | "summary" | "details" | "outcome"> | null {
  if (error !== null) return failureNotice;
  if (drift !== undefined) return driftNotice(drift);
  return result === undefined ? null : resultNotice(result);
}
