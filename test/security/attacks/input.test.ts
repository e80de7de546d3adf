import { describe, expect, test } from "vitest";
import { secretMember } from "../../../src/manifest/secret-member.ts";
import { certificateBlocks } from "../../../src/pem.ts";
import { withoutSlashes } from "../../../src/without-slashes.ts";
import { counted } from "../support/counted-text.ts";

/** How many characters of a text something looks at, for each character that it has. */
function looksPerCharacter(text: string, read: (text: string) => unknown): number {
  const { looked, text: watched } = counted(text);
  read(watched);
  return looked() / text.length;
}

describe("A line of a manifest is built to make the search for secrets slow → it looks at each character a few times", () => {
  test.each<readonly [string, string]>([
    ["names in one word", "token".repeat(20_000)],
    ["names with dashes", "token-".repeat(20_000)],
    ["names with blanks", "token ".repeat(20_000)],
    ["a name and blanks", `token${" ".repeat(100_000)}x`],
    ["blanks", " ".repeat(100_000)],
    ["blanks and dashes", "- ".repeat(50_000)],
    ["dashes", "-".repeat(100_000)],
    ["names with quotes", 'secret" '.repeat(20_000)],
    ["names and brackets", "{secret ".repeat(20_000)],
    ["colons", "secret::".repeat(20_000)],
  ])("%s", (_, line) => {
    expect(looksPerCharacter(line, secretMember)).toBeLessThan(8);
    expect(looksPerCharacter(line + line, secretMember)).toBeLessThan(8);
  });
});

describe("A chain of certificates is a flood of PEM lines → each character is looked at a few times", () => {
  test.each<readonly [string, string]>([
    ["begins", "-----BEGIN CERTIFICATE-----".repeat(5_000)],
    ["ends", "-----END CERTIFICATE-----".repeat(5_000)],
    ["begins of keys", "-----BEGIN PRIVATE KEY-----".repeat(5_000)],
    ["begins with text", "-----BEGIN CERTIFICATE-----AAAA\n".repeat(5_000)],
    ["whole blocks", "-----BEGIN CERTIFICATE-----AA-----END CERTIFICATE-----".repeat(5_000)],
    ["dashes", "-".repeat(100_000)],
    ["dashes behind a begin", `-----BEGIN CERTIFICATE-----${"-".repeat(100_000)}`],
    ["half marks", "-----BEGIN CERTIFICATE---- ".repeat(5_000)],
  ])("%s", (_, pem) => {
    expect(looksPerCharacter(pem, certificateBlocks)).toBeLessThan(4);
    expect(looksPerCharacter(pem + pem, certificateBlocks)).toBeLessThan(4);
  });
});

describe("An address ends with slashes without number → each is looked at once", () => {
  test.each(["/".repeat(100_000), `${"/".repeat(100_000)}x`, "/x".repeat(50_000)])("%#", (text) => {
    expect(looksPerCharacter(text, withoutSlashes)).toBeLessThan(3);
  });
});
