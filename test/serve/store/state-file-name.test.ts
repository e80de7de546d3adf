import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stateFileName } from "../../../src/serve/store/state-file-name.ts";
import { runs } from "../../support/runs.ts";
import { anyName } from "./support.ts";

describe("the file of a name", () => {
  it("is readable for usual names", () => {
    expect(["prod", "many/t1", "eu-1.v2"].map(stateFileName)).toEqual(["prod", "many%2ft1", "eu-1%2ev2"]);
  });

  it("is a plain file name that every file system takes, whatever the name", () => {
    fc.assert(
      fc.property(anyName, (name) => {
        expect(stateFileName(name)).toMatch(/^[a-z0-9_%~-]{1,190}$/);
      }),
      runs(),
    );
  });

  it("differs for different names, also where file names ignore case or the form of accents", () => {
    const names = ["Prod", "prod", "PROD", "ü", "u\u0308", "a/b", "a%2fb", "a".repeat(400), `${"a".repeat(400)}b`];
    names.push("\ud800", "\ud801", "\ufffd", "");
    const files = names.map((name) => stateFileName(name).normalize("NFC").toLowerCase());
    expect(new Set(files).size).toBe(names.length);
    fc.assert(
      fc.property(anyName, anyName, (a, b) => {
        fc.pre(a !== b);
        expect(stateFileName(a)).not.toBe(stateFileName(b));
      }),
      runs(),
    );
  });
});
