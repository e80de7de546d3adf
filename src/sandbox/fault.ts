import { type DurationForm, parseDuration } from "../core/duration.js";
import { EdgewiseError } from "../core/errors.js";

/** Which requests a fault applies to. All selectors must match. */
interface FaultSelector {
  /** Empty = every method. */
  readonly methods: readonly string[];
  /** Path with `*` for any characters; null = every path. */
  readonly path: string | null;
  /** From 0 to 1, for each request that the other selectors match. */
  readonly probability: number;
  /** Applies at most so many times; null = always. */
  readonly count: number | null;
  /** Lets so many matching requests pass first. */
  readonly skip: number;
}

/** A limit of requests in a rolling window; requests beyond it get status 429. */
export interface Rate {
  readonly requests: number;
  readonly windowMs: number;
}

/** How a response is broken: `status` and `html` replace it, `truncate` cuts it off, `reset` cuts the connection. */
export type FaultEnd =
  | { readonly of: "status"; readonly status: number; readonly html: boolean }
  | { readonly of: "reset" }
  | { readonly of: "truncate" }
  | { readonly of: "rate"; readonly rate: Rate };

/** One `--fault`; see docs/sandbox.md. */
export interface Fault {
  /** The text that it was parsed from. */
  readonly spec: string;
  readonly select: FaultSelector;
  readonly delayMs: number;
  /** Lists show the state before so many of the last writes; 0 = the current state. */
  readonly staleWrites: number;
  /** Reads show the state of so many milliseconds ago; 0 = the current state. */
  readonly lagMs: number;
  /** Null = the response is not broken. */
  readonly end: FaultEnd | null;
  /** Whether the request is carried out before its response is broken. */
  readonly after: boolean;
  /** Seconds; `auto` = until the window has room; null = no Retry-After header. */
  readonly retryAfter: number | "auto" | null;
}

const remedy =
  "Write comma-separated actions (status=503, reset=before|after, delay=200ms, stale, lag=3s, truncate, html, rate=120/min, " +
  "retry-after=2) and selectors (method=POST, path=/edges/tls*, probability=0.1, count=3, skip=2).";
const methods = ["GET", "POST", "PATCH", "PUT", "DELETE"];

/**
 * Parses the spec of a fault: `status=503,method=POST,count=2`.
 * @throws EdgewiseError `usage` that names the wrong part
 */
export function parseFault(spec: string): Fault {
  const parts = new FaultParts(spec);
  const end = readEnd(parts);
  const delayMs = readDuration(parts, "delay");
  const lagMs = readDuration(parts, "lag");
  const staleWrites = parts.has("stale") ? parts.whole("stale", 1, 10_000, "1") : 0;
  if (lagMs > 0 && staleWrites > 0) throw parts.error("stale and lag can't both say how far reads are behind");
  if (end === null && delayMs === 0 && staleWrites === 0 && lagMs === 0)
    throw parts.error("it selects requests but has no action");
  const retryAfter = readRetryAfter(parts, end);
  return {
    spec,
    select: {
      methods: readMethods(parts),
      path: readPath(parts),
      probability: readProbability(parts),
      count: parts.has("count") ? parts.whole("count", 1, 1_000_000) : null,
      skip: parts.has("skip") ? parts.whole("skip", 1, 1_000_000) : 0,
    },
    delayMs,
    staleWrites,
    lagMs,
    end,
    after: readAfter(parts, end),
    retryAfter,
  };
}

function readEnd(parts: FaultParts): FaultEnd | null {
  const named = ["reset", "truncate", "rate"].filter((key) => parts.has(key));
  if (parts.has("status") || parts.has("html")) named.unshift("status or html");
  if (named.length > 1) throw parts.error(`${named.join(" and ")} can't both end one response`);
  if (parts.has("reset")) return { of: "reset" };
  if (parts.has("truncate")) return { of: "truncate" };
  if (parts.has("rate")) return { of: "rate", rate: readRate(parts) };
  if (named.length === 0) return null;
  const html = parts.has("html");
  const status = parts.whole("status", html ? 200 : 400, 599, "502");
  if (status === 204 || status === 304) throw parts.error(`a response of status ${status} has no body`);
  return { of: "status", status, html };
}

function readAfter(parts: FaultParts, end: FaultEnd | null): boolean {
  if (parts.has("when") && end?.of !== "status") throw parts.error("when= belongs to status= and html");
  if (end?.of === "truncate") return true;
  const key = parts.has("reset") ? "reset" : "when";
  const value = parts.text(key) ?? "before";
  if (value !== "before" && value !== "after") throw parts.error(`${key} must be before or after`);
  return value === "after";
}

function readRetryAfter(parts: FaultParts, end: FaultEnd | null): number | "auto" | null {
  if (!parts.has("retry-after")) return null;
  if (end?.of !== "status" && end?.of !== "rate") throw parts.error("retry-after= belongs to status= and rate=");
  if (parts.text("retry-after") === "auto" && end.of === "rate") return "auto";
  return parts.whole("retry-after", 0, 86_400);
}

function readRate(parts: FaultParts): Rate {
  const [, digits, per] = /^(\d{1,6})\/(s|min)$/.exec(parts.text("rate") ?? "") ?? [];
  const requests = Number(digits ?? 0);
  if (requests === 0) throw parts.error("rate must be like 120/min or 10/s");
  return { requests, windowMs: per === "s" ? 1000 : 60_000 };
}

const durations: DurationForm = { units: ["ms", "s", "m"], maxDigits: 7, range: { least: 1, most: 600_000 } };

/** Milliseconds; 0 when the part is missing. */
function readDuration(parts: FaultParts, key: "delay" | "lag"): number {
  if (!parts.has(key)) return 0;
  const ms = parseDuration(parts.text(key) ?? "", durations);
  if (ms === null) throw parts.error(`${key} must be like 200ms or 2s, at most 10m`);
  return ms;
}

function readMethods(parts: FaultParts): readonly string[] {
  const named = parts.text("method")?.toUpperCase().split("|") ?? [];
  if (named.some((each) => !methods.includes(each))) {
    throw parts.error(`method must be one of ${methods.join(", ")}, or several joined by |`);
  }
  return named;
}

function readPath(parts: FaultParts): string | null {
  const path = parts.text("path");
  if (path !== null && !/^[/*]/.test(path)) throw parts.error("path must begin with / or *");
  return path;
}

function readProbability(parts: FaultParts): number {
  const text = parts.text("probability");
  if (text === null) return 1;
  const value = /^(\d+(\.\d+)?|\.\d+)$/.test(text) ? Number(text) : Number.NaN;
  if (!(value > 0 && value <= 1)) throw parts.error("probability must be above 0 and at most 1");
  return value;
}

const withValue = new Set([
  "status",
  "reset",
  "delay",
  "stale",
  "lag",
  "rate",
  "retry-after",
  "when",
  "method",
  "path",
  "probability",
  "count",
  "skip",
]);
const withoutValue = new Set(["stale", "truncate", "html"]);

/** The comma-separated parts of a spec by their keys. */
class FaultParts {
  readonly #spec: string;
  readonly #values = new Map<string, string | null>();

  constructor(spec: string) {
    this.#spec = spec;
    for (const part of spec.split(",")) {
      const equals = part.indexOf("=");
      const key = (equals < 0 ? part : part.slice(0, equals)).trim();
      const value = equals < 0 ? null : part.slice(equals + 1).trim();
      if (!withValue.has(key) && !withoutValue.has(key)) {
        throw this.error(key === "" ? "a part is empty" : `"${key}" is neither an action nor a selector`);
      }
      if (value === null && !withoutValue.has(key)) throw this.error(`"${key}" needs a value, like ${key}=…`);
      if (value !== null && !withValue.has(key)) throw this.error(`"${key}" takes no value`);
      if (this.has(key)) throw this.error(`"${key}" is given twice`);
      this.#values.set(key, value);
    }
  }

  has(key: string): boolean {
    return this.#values.has(key);
  }

  /** Null when the part is missing, or has no value. */
  text(key: string): string | null {
    return this.#values.get(key) ?? null;
  }

  /** A whole number within bounds, both included. */
  whole(key: string, least: number, most: number, otherwise = ""): number {
    const text = this.text(key) ?? otherwise;
    const value = /^\d{1,7}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= least && value <= most)) {
      throw this.error(`${key} must be a whole number from ${least} to ${most}`);
    }
    return value;
  }

  error(why: string): EdgewiseError {
    return new EdgewiseError("usage", `the fault "${this.#spec}" can't be used: ${why}`, { remedy });
  }
}
