import { Agent, type Dispatcher, EnvHttpProxyAgent } from "undici";
import { EdgewiseError } from "../core/errors.js";
import type { Redactor } from "../redact.js";

interface DispatcherOptions {
  readonly base: URL;
  readonly connections: number;
  readonly timeoutMs: number;
  readonly env: { readonly [variable: string]: string | undefined };
  /** Learns the proxy's password, to mask it. */
  readonly redactor: Redactor;
}

/** A pool of connections, through the proxy of the environment but for loopback. @throws EdgewiseError `config` */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const connection = {
    connections: options.connections,
    connect: { timeout: Math.min(options.timeoutMs, 10_000) },
    // The transport limits the time of an attempt as a whole; these would only limit the gaps in it.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const proxy = proxyFor(options);
  if (proxy === null) return new Agent(connection);
  const noProxy = variable(options.env, "NO_PROXY") ?? "";
  return new EnvHttpProxyAgent({ ...connection, httpProxy: proxy, httpsProxy: proxy, noProxy });
}

function proxyFor({ base, env, redactor }: DispatcherOptions): string | null {
  // Names below `localhost` are on this machine, too.
  if (/^(?:.+\.)?localhost$|^\[::1\]$|^127\.\d+\.\d+\.\d+$/.test(base.hostname)) return null;
  const name = base.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const text = variable(env, name);
  if (text === null) return null;
  const proxy = URL.canParse(text) ? new URL(text) : null;
  if (proxy === null || !/^https?:$/.test(proxy.protocol)) {
    throw new EdgewiseError("config", `${name} is not an http or https URL`, {
      remedy: "Set it to a URL like http://proxy.example.com:3128, or unset it.",
    });
  }
  redactor.addSecret(proxy.password);
  redactor.addSecret(decoded(proxy.password));
  return text;
}

/** A variable in upper or lower case; an empty one counts as unset. */
function variable(env: DispatcherOptions["env"], name: string): string | null {
  return env[name] || env[name.toLowerCase()] || null;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
