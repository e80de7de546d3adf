import { ApiError, isRefusal } from "../api/api-error.js";
import type { EdgewiseError } from "../core/errors.js";
import { readFirstPages } from "../live/read-live.js";
import { collectionOf } from "../kinds/names.js";
import { loadContext, requireBaseUrl } from "./support/command-context.js";
import { withReadClient } from "./support/connect.js";
import type { CommandIo } from "./support/command-io.js";
import { writeData } from "./support/output.js";
import { type Flags, type DefineCommand } from "./support/command-options.js";

export const define: DefineCommand = (command, run) =>
  command
    .shared(["text", "json"], "config service")
    .examples([["edgewise ping -e staging", "check an environment"]])
    .action(run(ping));

async function ping(io: CommandIo, flags: Flags) {
  const context = await loadContext(flags, io);
  const baseUrl = requireBaseUrl(context);
  const { versionHeader } = context.config.api;
  const collections = await withReadClient(context, async (client) => readFirstPages(client, () => io.now()));
  const failed = collections.flatMap(({ error }) => (error === null ? [] : [error]));
  const [first] = failed;
  if (first !== undefined && failed.length === collections.length) throw first;
  const ok = failed.every(isRefused);
  const latencyMs = Math.min(...collections.map((each) => each.latencyMs));
  const result = {
    format: "edgewise.ping/v1",
    ok,
    baseUrl,
    versionHeader,
    latencyMs,
    collections: collections.map(({ error, kind, status }) => ({
      kind,
      path: collectionOf(kind).path,
      readable: error === null,
      status,
      reason: error === null ? null : error.message,
    })),
  };
  const lines = [
    `${baseUrl} is reachable and accepts the key and the header ${versionHeader} (${latencyMs} ms).`,
    ...collections.flatMap(({ error, kind }) => {
      if (error === null) return [];
      const refused = " (stacks without such manifests work)";
      const then = isRefused(error) ? refused : error.remedy === null ? "" : `\n  ${error.remedy}`;
      return [`${kind} can't be read: ${error.message}${then}`];
    }),
  ];
  const text =
    failed.length === 0 ? `${lines.join("")} All ${collections.length} collections can be read.` : lines.join("\n");
  await writeData(result, () => text, context.io);
  return ok ? 0 : 1;
}

function isRefused(error: EdgewiseError) {
  return error instanceof ApiError && isRefusal(error);
}
