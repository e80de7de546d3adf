import { ApiError } from "../api/api-error.js";
import { EdgewiseError } from "../errors.js";
import { isObject } from "../json.js";
import { listedKinds } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import { loadContext, requireBaseUrl } from "./support/command-context.js";
import { withReadClient } from "./support/connect.js";
import type { ConnectFlags } from "./support/flags.js";
import type { GuardedIo } from "./support/io.js";
import { writeResult } from "./support/output.js";

/** `ping`: one read that shows whether base URL, API key and version header are right. */
export async function pingCommand(flags: ConnectFlags, guardedIo: GuardedIo): Promise<number> {
  const context = await loadContext(flags, guardedIo);
  const { config, io } = context;
  const { versionHeader } = config.api;
  const baseUrl = requireBaseUrl(context);
  // Any list would do.
  const { collection } = kinds[listedKinds[0]];
  if (collection === null) throw new TypeError(`${listedKinds[0]} has no collection`);
  return withReadClient(context, flags, async (client) => {
    const began = io.now();
    try {
      const { body } = await client.get(collection.path);
      const latencyMs = Math.round(io.now() - began);
      if (!isObject(body) || !Array.isArray(body[collection.member])) {
        throw new EdgewiseError(
          "api",
          `${baseUrl} responded, but not like this API: the response has no ${collection.member}`,
          { remedy: "Check the base URL: it may need a path." },
        );
      }
      const text = `${baseUrl} is reachable and accepts the key and the header ${versionHeader} (${latencyMs} ms).`;
      const result = { format: "edgewise.ping/v1", ok: true, baseUrl, versionHeader, latencyMs };
      await writeResult(flags.output === "json" ? JSON.stringify(result, null, 2) : text, flags, io);
      return 0;
    } catch (error) {
      throw withLikelyRemedy(error, baseUrl, versionHeader);
    }
  });
}

/** The same failure, with the remedy that most likely helps. */
function withLikelyRemedy(error: unknown, baseUrl: string, versionHeader: string): unknown {
  if (!(error instanceof ApiError)) return error;
  const remedy = remedyFor(error.status, baseUrl, versionHeader);
  return remedy === null ? error : new EdgewiseError("api", error.message, { remedy, cause: error });
}

function remedyFor(status: number | null, baseUrl: string, versionHeader: string): string | null {
  if (status === null)
    return `Check the base URL ${baseUrl}, the network, and HTTPS_PROXY or NODE_EXTRA_CA_CERTS if you need them.`;
  if (status === 401 || status === 403)
    return "Check the API key: EDGEWISE_API_KEY, or the file named by --api-key-file. It may lack permission to read.";
  if (status === 400) {
    return `Check the version header: it is sent as ${versionHeader}. Live services use a branded name: api.versionHeader, --version-header or EDGEWISE_VERSION_HEADER.`;
  }
  if (status === 404) return `Check the base URL ${baseUrl}: this API is not there. It may need a path.`;
  return null;
}
