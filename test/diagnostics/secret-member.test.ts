import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { secretMember } from "../../src/diagnostics/hide-secrets.ts";
import { runs } from "../support/runs.ts";

const names = "(?:secret|private_?key|password|passwd|token|api_?key|credential)";
// What the loops stand for; on short lines quadratic time does no harm.
const member = new RegExp(`^(\\s*(?:- +)*).*?${names}[\\w-]*["']?\\s*:(.*)$`, "ius");
const bare = new RegExp(`^(\\s*(?:- +)*)["']?[\\w-]*${names}[\\w-]*["']?(\\s+[^\\s:#].*)$`, "ius");

const pieces = [
  "secret",
  "private_key",
  "privateKey",
  "PASSWORD",
  "to\u212aen",
  "pa\u017fswd",
  "api_key",
  "name",
  "webhook",
  ":",
  " ",
  "  ",
  "\t",
  "-",
  "- ",
  '"',
  "'",
  "{",
  "}",
  ",",
  "#",
  "x",
  "\u2028",
];

describe("members that may be secret", () => {
  it.each<readonly [string, number, string]>([
    ["  secret: x", 2, " x"],
    ["- - token: x", 4, " x"],
    ['{a: 1, "client_secret" : x}', 0, " x}"],
    ["    password hunter2", 4, " hunter2"],
    ["x-api_key-old: y", 0, " y"],
  ])("%j", (line, indent, rest) => {
    expect(secretMember(line)).toEqual({ indent, rest });
  });

  it.each(["name: x", "secret", "# secret", "token # x", "the secret is"])("not in %j", (line) => {
    expect(secretMember(line)).toBeNull();
  });

  it("are those that a regular expression finds", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 12 }), (parts) => {
        const line = parts.join("");
        const found = member.exec(line) ?? bare.exec(line);
        const expected = found === null ? null : { indent: found[1]?.length, rest: found[2] };
        expect(secretMember(line)).toEqual(expected);
      }),
      runs(4000),
    );
  });
});
