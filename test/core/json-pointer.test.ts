import { expect, it } from "vitest";
import { setAt } from "../../src/json.ts";
import { Secret } from "../../src/secret.ts";

it.each([
  ["", { a: 1 }, "x"],
  ["/a", { a: null, b: 1 }, { a: "x", b: 1 }],
  ["/a/1/b", { a: [0, { b: null }, 2] }, { a: [0, { b: "x" }, 2] }],
  ["/a~1b/c~0d/~01", { "a/b": { "c~d": { "~1": null } } }, { "a/b": { "c~d": { "~1": "x" } } }],
  ["/", { "": null }, { "": "x" }],
])("%j is replaced in a copy", (pointer, value, expected) => {
  const before = structuredClone(value);
  expect(setAt(value, pointer, "x")).toEqual(expected);
  expect(value).toEqual(before);
});

it.each(["a", "/b", "/a/2", "/a/-", "/a/01", "/a/0/x", "/toString", "/a/length"])("%j leads nowhere", (pointer) => {
  expect(() => setAt({ a: [1, 2] }, pointer, "x")).toThrow(RangeError);
});

it("a secret can be put in", () => {
  const secret = Secret.of("s", "env S");
  expect(setAt({ a: null }, "/a", secret)).toEqual({ a: secret });
});
