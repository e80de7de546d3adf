import { describe, expect, it } from "vitest";
import { EdgewiseError } from "../../src/core/errors.ts";
import { parseFault } from "../../src/sandbox/fault.ts";

const everything = { methods: [], path: "*", probability: 1, count: Infinity, skip: 0 };
const nothing = { delayMs: 0, lagMs: 0, end: null, after: false, retryAfter: null };

describe("the spec of a fault", () => {
  it.each([
    ["status=503", { end: { of: "status", status: 503, html: false } }],
    [
      "status=503,when=after,retry-after=2",
      { end: { of: "status", status: 503, html: false }, after: true, retryAfter: 2 },
    ],
    ["html", { end: { of: "status", status: 502, html: true } }],
    ["reset=after", { end: { of: "reset" }, after: true }],
    ["truncate", { end: { of: "truncate" }, after: true }],
    ["delay=200ms", { delayMs: 200 }],
    ["lag=3s", { lagMs: 3000 }],
    ["rate=120/min", { end: { of: "rate", rate: { requests: 120, windowMs: 60_000 } } }],
    ["rate=5/s,retry-after=auto", { end: { of: "rate", rate: { requests: 5, windowMs: 1000 } }, retryAfter: "auto" }],
  ])("%s is an action", (spec, parts) => {
    expect(parseFault(spec)).toEqual({ spec, ...everything, ...nothing, ...parts });
  });

  it("takes selectors and several actions, in any order", () => {
    const spec = "method=post|patch, path=/edges/tls*, probability=.25, count=3, skip=2, delay=1s, status=500";
    expect(parseFault(spec)).toEqual({
      ...nothing,
      spec,
      methods: ["POST", "PATCH"],
      path: "/edges/tls*",
      probability: 0.25,
      count: 3,
      skip: 2,
      delayMs: 1000,
      end: { of: "status", status: 500, html: false },
    });
  });

  it.each([
    ["method=POST", /has no action/],
    ["explode", /"explode" is neither/],
    ["status=503,status=500", /twice/],
    ["status=503,reset=after", /can't both/],
    ["status=200", /status must be/],
    ["reset=later", /before or after/],
    ["rate=120", /rate must be/],
    ["delay=1s,retry-after=1", /retry-after= belongs/],
    ["status=503,retry-after=auto", /retry-after must be/],
    ["status=503,method=FETCH", /method must be/],
    ["status=503,path=edges", /path must be/],
    ["status=503,probability=0", /probability must be/],
  ])("%j is refused, and why", (spec, why) => {
    const parse = (): unknown => parseFault(spec);
    expect(parse).toThrow(EdgewiseError);
    expect(parse).toThrow(why);
    expect(parse).toThrow(`"${spec}"`);
  });
});
