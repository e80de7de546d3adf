import type { ClientOptions } from "../api/client.js";
import { Secret } from "../secret.js";

/** The options of a client with the command line's defaults. Nothing is read from the process. */
export function clientOptions(
  given: { readonly baseUrl: string; readonly apiKey: string | Secret } & Partial<
    Omit<ClientOptions, "baseUrl" | "apiKey">
  >,
): ClientOptions {
  const { apiKey, ...rest } = given;
  return {
    versionHeader: "Service-Version",
    concurrency: 8,
    timeoutMs: 30_000,
    requestsPerMinute: null,
    env: {},
    ...rest,
    apiKey: typeof apiKey === "string" ? Secret.of(apiKey, "caller") : apiKey,
  };
}
