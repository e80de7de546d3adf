import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { tfAddress } from "../../src/export/tfstate-address.ts";
import { shellWord } from "../../src/shell-word.ts";
import { runs } from "../support/runs.ts";

const at = { module: "", type: "acme_reserved_addr", name: "tcp", key: undefined };

describe("the address of a resource in Terraform", () => {
  it.each([
    [{}, "acme_reserved_addr.tcp", ["tcp"]],
    [{ key: "eu" }, 'acme_reserved_addr.tcp["eu"]', ["tcp", "eu"]],
    [
      { module: 'module.a["x.y"].module.b[2].module.c-d' },
      'module.a["x.y"].module.b[2].module.c-d.acme_reserved_addr.tcp',
      ["a", '"x.y"', "b", "2", "c-d", "tcp"],
    ],
    [{ key: 'a"b\\c' }, 'acme_reserved_addr.tcp["a\\"b\\\\c"]', ["tcp", 'a"b\\c']],
    [{ key: "${x}%{y}" }, 'acme_reserved_addr.tcp["$${x}%%{y}"]', ["tcp", "${x}%{y}"]],
    [{ key: "a\nb\tc\u001b[31m\u{e0041}" }, 'acme_reserved_addr.tcp["a\\nb\\tc\\u001b[31m\\U000e0041"]', undefined],
    [{ module: 'module.a["\u202e"]' }, 'module.a["\\u202e"].acme_reserved_addr.tcp', undefined],
  ])("%j is %s", (place, text, words) => {
    const address = tfAddress({ ...at, ...place });
    expect(address?.text).toBe(text);
    if (words !== undefined) expect(address?.words).toEqual(words);
  });

  it.each([
    { type: "a b" },
    { name: "a\nb" },
    { name: "-rf" },
    { module: "module.a module.b" },
    { module: 'module.a["x]' },
    { module: "module.a[-1]" },
    { key: 1.5 },
  ])("Terraform writes none like %j", (place) => {
    expect(tfAddress({ ...at, ...place })).toBeNull();
  });

  it("is one word for a shell, on one line, whatever the key", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (key, module) => {
        const address = tfAddress({ ...at, key, module: `module.m[${JSON.stringify(module)}]` });
        const text = address?.text ?? "";
        expect(text).toMatch(/^[^\p{Cc}\p{Zl}\p{Zp}]+$/u);
        expect(execFileSync("sh", ["-c", `printf %s ${shellWord(text)}`], { encoding: "utf8" })).toBe(
          Buffer.from(text).toString(),
        );
      }),
      runs(8),
    );
  });
});
