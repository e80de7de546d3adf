import { isIPv4 } from "node:net";
import type { Agent, Dispatcher } from "undici";
import { EdgewiseError } from "../errors.js";
import type { Redactor } from "../redact/redactor.js";

export interface DispatcherOptions {
  readonly base: URL;
  readonly connections: number;
  readonly timeoutMs: number;
  readonly env: { readonly [variable: string]: string | undefined };
  /** Learns the proxy's password. */
  readonly redactor: Redactor;
}

/**
 * What sends the requests: a pool of kept connections, through the proxy that the environment names.
 * The loopback is never reached through a proxy. Loads undici, which takes a while: only when something is sent.
 * @throws EdgewiseError `config` for a proxy that is no URL
 */
export async function createDispatcher(options: DispatcherOptions): Promise<Dispatcher> {
  const connection = {
    connections: options.connections,
    connect: { timeout: Math.min(options.timeoutMs, 10_000) },
    // The transport bounds an attempt as a whole; these would only bound the gaps in it.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const proxy = proxyFor(options);
  if (proxy === null) {
    const Agent = await loadAgent();
    return new Agent(connection);
  }
  const { EnvHttpProxyAgent } = await import("undici");
  return new EnvHttpProxyAgent({
    ...connection,
    httpProxy: proxy,
    httpsProxy: proxy,
    noProxy: variable(options.env, "NO_PROXY") ?? "",
  });
}

/** Loads the one file that is needed: all of undici takes three times as long. Where the file has moved, all of it. */
async function loadAgent(): Promise<typeof Agent> {
  try {
    return (await import("undici/lib/dispatcher/agent.js")).default;
  } catch {
    return (await import("undici")).Agent;
  }
}

function proxyFor(options: DispatcherOptions): string | null {
  const { base, env, redactor } = options;
  if (isLoopback(base.hostname)) return null;
  const name = base.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const text = variable(env, name);
  if (text === null) return null;
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new EdgewiseError("config", `${name} holds no http or https URL`, {
      remedy: `Give it like http://proxy.example.com:3128, or unset it.`,
    });
  }
  const { password } = new URL(text);
  redactor.add(password);
  redactor.add(decoded(password));
  return text;
}

/** A variable in upper or lower case; an empty one counts as unset. */
function variable(env: DispatcherOptions["env"], name: string): string | null {
  return env[name] || env[name.toLowerCase()] || null;
}

function isLoopback(hostname: string): boolean {
  return (
    hostname === "localhost" ||
    hostname.endsWith(".localhost") ||
    hostname === "[::1]" ||
    (isIPv4(hostname) && hostname.startsWith("127."))
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
