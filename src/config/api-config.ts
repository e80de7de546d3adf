import { isIPv4 } from "node:net";
import { isAbsolute, resolve } from "node:path";
import { type DurationForm, parseDuration } from "../core/duration.js";
import { withoutSlashes } from "../core/text.js";
import { versionHeaderProblem } from "../core/version-header.js";
import { type Code, schemaCodes } from "../diagnostics/codes.js";
import { isInside } from "../files/real-path.js";
import { configDefaults } from "../generated/config-defaults.js";
import type { ConfigDocument } from "../generated/config-types.js";
import type { ApiConfig, ConfigInput } from "./config.js";
import { badSetting, setting } from "./setting.js";

type ApiMembers = NonNullable<ConfigDocument["api"]>;

/** The error for a value, which the message must not name, at its place. */
export type MemberError = (path: readonly string[], code: Code, problem: string, remedy: string) => Error;

export function apiConfig(
  input: Pick<ConfigInput, "env" | "flags" | "offline">,
  members: ApiMembers,
  root: string,
  error: MemberError,
): ApiConfig {
  const fail = (member: keyof ApiMembers, code: keyof typeof schemaCodes, problem: string, remedy?: string): Error =>
    error(["api", member], code, problem, remedy ?? schemaCodes[code]);

  const baseUrl = (): string | null => {
    const check = (text: string, refused: (problem: string, remedy: string) => Error) => {
      const found = checkBaseUrl(text, input.flags.allowInsecureHttp === true);
      if ("problem" in found) throw refused(found.problem, found.remedy);
      return found;
    };
    const given = setting("baseUrl", input);
    const checked = given === null ? null : check(given.value, (...words) => badSetting(given, ...words));
    if (given?.from === "flag" && checked !== null) return checked.url;
    const written = members.baseUrl ?? null;
    const inFile = written === null ? null : check(written, (...words) => fail("baseUrl", "bad-base-url", ...words));
    if (checked !== null && inFile !== null && input.offline !== true && checked.origin !== inFile.origin) {
      // Whoever can change the file could have the API key sent elsewhere.
      const problem = `is another host than EDGEWISE_BASE_URL (${checked.origin})`;
      throw fail("baseUrl", "base-url-elsewhere", problem);
    }
    return (checked ?? inFile)?.url ?? null;
  };

  const versionHeader = (): string => {
    const given = setting("versionHeader", input);
    const name = given?.value ?? members.versionHeader ?? configDefaults.api.versionHeader;
    const problem = versionHeaderProblem(name);
    if (problem === null) return name;
    if (given !== null) throw badSetting(given, problem, schemaCodes["bad-version-header"]);
    throw fail("versionHeader", "bad-version-header", problem);
  };

  /** It is written to: the file must not choose one elsewhere, or in `.git`. */
  const pageCache = (): string | null => {
    const path = members.pageCache ?? null;
    if (path === null) return null;
    const hidden = path.split(/[\\/]/u).some((part) => part.startsWith("."));
    const file = resolve(root, path);
    if (!hidden && !isAbsolute(path) && isInside(root, file) && file !== root) return file;
    throw fail("pageCache", "bad-page-cache", "must be a relative path inside the root, without hidden parts");
  };

  const duration = (member: "timeout" | "deadline" | "settle"): number => {
    const text = members[member] ?? null;
    const ms = text === null ? configDefaults.api[member] : parseDuration(text, waits);
    if (ms !== null) return ms;
    throw fail(member, "out-of-range", "must be longer than 0 and at most 24h", "Use a duration in this range.");
  };

  return {
    baseUrl: baseUrl(),
    versionHeader: versionHeader(),
    requestsPerMinute: members.requestsPerMinute ?? null,
    timeoutMs: duration("timeout"),
    deadlineMs: duration("deadline"),
    settleMs: duration("settle"),
    moduleEndpoints: members.moduleEndpoints ?? [],
    pageCache: pageCache(),
  };
}

export const waits: DurationForm = {
  units: ["ms", "s", "m", "h"],
  fractions: true,
  range: { least: 1, most: 24 * 3_600_000 },
};

/** Requests append their paths. No problem quotes the URL: it may hold a password. */
export function checkBaseUrl(
  text: string,
  allowInsecureHttp: boolean,
): Readonly<{ url: string; origin: string }> | Readonly<{ problem: string; remedy: string }> {
  if (!URL.canParse(text) || !/^https?:\/\//i.test(text))
    return { problem: "is not an http or https URL", remedy: "Write it like https://api.example.com." };
  const url = new URL(text);
  // Parsing drops an empty user or query, so the text is checked too.
  const authority = text.split("/")[2] ?? "";
  if (url.username !== "" || url.password !== "" || authority.includes("@"))
    return { problem: "contains a user or password", remedy: "Remove it: the API key goes into EDGEWISE_API_KEY." };
  if (text.includes("?") || text.includes("#"))
    return { problem: "has a query or fragment", remedy: "Remove everything from ? or # on." };
  if (/[\s\\]/.test(text)) return { problem: "contains a blank or backslash", remedy: "Remove it." };
  if (url.protocol === "http:" && !isLoopback(url.hostname) && !allowInsecureHttp)
    return {
      problem: "is plain http to another machine",
      remedy: "Use https, or give --allow-insecure-http to send the API key unencrypted.",
    };
  return { url: withoutSlashes(url.origin + url.pathname), origin: url.origin };
}

/** Where notifications may go: https, or http on this machine; null = nowhere. */
export function receiverUrl(text: string): URL | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const isSafe = url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
  return isSafe && url.username === "" && url.password === "" ? url : null;
}

export function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  if (host === "localhost" || host === "::1" || host === "::ffff:127.0.0.1") return true;
  return isIPv4(host) && host.startsWith("127.");
}
