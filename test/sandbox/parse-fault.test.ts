import { describe, expect, it } from "vitest";
import { EdgewiseError } from "../../src/core/errors.ts";
import { parseFault } from "../../src/sandbox/fault.ts";

describe("the spec of a fault", () => {
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
