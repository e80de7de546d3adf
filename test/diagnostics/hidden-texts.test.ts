import { expect, it } from "vitest";
import { hiddenTexts, withoutHidden } from "../../src/diagnostics/hide-secrets.ts";

it.each([
  ["config.headers.X-Api-Key: header is wrong", "config.headers.X-Api-Key: (secret) is wrong"],
  ['"Header", header.', '"(secret)", (secret).'],
  ["headerheader", "headerheader"],
  ["header header", "(secret) (secret)"],
  ["x_header-x", "x_(secret)-x"],
])("hides whole words: %s", (message, shown) => {
  expect(withoutHidden(message, ["header"], "")).toBe(shown);
});

it("hides a text with other signs at its ends wherever it stands", () => {
  expect(withoutHidden("a=hunter2b", ["=hunter2"], "")).toBe("a=hunter2b");
  expect(withoutHidden("a$hunter2$b", ["$hunter2$"], "")).toBe("a(secret)b");
});

it("takes for a secret what masks in outputs take for one", () => {
  const found = hiddenTexts({
    tokenizer: "ordinary",
    password: ["hunter2"],
    secret: { env: "NAME", value: "hunter3" },
  });
  expect(found).toEqual(["hunter2", "hunter3"]);
});
