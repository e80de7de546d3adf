import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Redactor } from "../../src/redact/redactor.ts";
import { cleanText } from "../../src/redact/server-text.ts";
import { runs } from "../support/runs.ts";
import { apiKey } from "../api/support/client.ts";

function redactor(...secrets: readonly string[]): Redactor {
  const made = new Redactor();
  for (const secret of secrets) made.add(secret);
  return made;
}

const base64 = (text: string): string => Buffer.from(text, "utf8").toString("base64");

it("leaves the words of JSON alone, as a masked one would end the document", () => {
  const text = JSON.stringify({ error: null, done: true, failed: false });
  expect(redactor("null", "true", "false").redact(text)).toBe(text);
  expect(redactor("nullable").redact("a nullable thing")).toBe("a (secret) thing");
});

describe("a secret is masked", () => {
  it.each([
    ["raw", apiKey],
    ["as JSON", JSON.stringify(apiKey)],
    ["as JSON with its slashes escaped", JSON.stringify(apiKey).replaceAll("/", "\\/")],
    ["URL-encoded", encodeURIComponent(apiKey)],
    ["URL-encoded in small letters", encodeURIComponent(apiKey).replaceAll(/%../g, (x) => x.toLowerCase())],
    ["as a form", new URLSearchParams({ key: apiKey }).toString()],
    ["in Base64", base64(apiKey)],
    ["in Base64 for URLs", Buffer.from(apiKey).toString("base64url")],
    ["in hexadecimal", Buffer.from(apiKey).toString("hex")],
    [
      "in HTML",
      apiKey.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;"),
    ],
  ])("%s", (_, echo) => {
    const masked = redactor(apiKey).redact(`unknown key ${echo}!`);
    expect(masked).toMatch(/^unknown key (key=)?"?\(secret\)"?=*!$/);
  });

  it.each(["", ":", "::", "Bearer "])("in Base64 between %j and more, but for its edges", (before) => {
    const echo = base64(`${before}${apiKey} and more`);
    const masked = redactor(apiKey).redact(echo);
    const [head = "", tail = "", ...more] = masked.split("(secret)");
    expect(more).toEqual([]);
    expect(echo.startsWith(head) && echo.endsWith(tail)).toBe(true);
    // An edge holds bits of what stands beside it; at most one character of the key is in there.
    expect(head.length).toBeLessThanOrEqual(Math.ceil((before.length * 4) / 3) + 1);
    expect(tail.length).toBeLessThanOrEqual(Math.ceil((" and more".length * 4) / 3) + 4);
  });

  it("line by line when it has several", () => {
    const line = "MC4CAQAwBQYDK2VwBCIEIKtq0dNCeN6K";
    const pem = `-----BEGIN PRIVATE KEY-----\n${line}\n-----END PRIVATE KEY-----\n`;
    expect(redactor(pem).redact(`bad key: ${line} (line 2)`)).toBe("bad key: (secret) (line 2)");
    expect(redactor(pem).redact(JSON.stringify({ pem }))).toBe('{"pem":"(secret)"}');
    expect(redactor(pem).redact("-----BEGIN PRIVATE KEY-----")).toBe("-----BEGIN PRIVATE KEY-----");
  });

  it("among many that begin alike", () => {
    const keys = Array.from({ length: 500 }, (_, n) => `-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEI${n}x\n`);
    expect(redactor(...keys).redact(`a ${keys[77]} b ${JSON.stringify(keys[499])}`)).toBe('a (secret) b "(secret)"');
  });

  it("by the longest spelling, every time, and beside another", () => {
    const both = redactor("hunter22", "hunter22-long");
    expect(both.redact("hunter22-longhunter22 hunter22")).toBe("(secret)(secret) (secret)");
  });

  it("alone when it is short, and not at all when it is tiny", () => {
    const some = redactor("abc", "test");
    expect(some.redact("abc testing test: contest test")).toBe("abc testing (secret): contest (secret)");
  });

  it.each([
    ["of words", "correct horse battery staple and some more words until it is long enough to be cut"],
    ["of blanks and rulers", "=".repeat(40) + " ".repeat(40)],
    ["of what edgewise says", "webhook_verification certificate_authorities endpoint_configuration IPRestriction"],
  ])("as a whole when it is long and made %s, as no part of it tells anything", (_, secret) => {
    expect(secret.length).toBeGreaterThan(64);
    const some = redactor(secret);
    // What is public is read with the first text that holds a part of a secret.
    some.redact(secret);
    expect(some.redact(`it is ${secret}.`)).toBe("it is (secret).");
    expect(some.redact(`it is ${secret.slice(0, 12)}.`)).toBe(`it is ${secret.slice(0, 12)}.`);
  });

  const every = (spell: (code: number) => string): string => [...apiKey].map((x) => spell(x.charCodeAt(0))).join("");
  it.each([
    ["decimal entities", every((code) => `&#${code};`)],
    ["hexadecimal entities", every((code) => `&#x${code.toString(16).toUpperCase()};`)],
    ["entities with zeros", every((code) => `&#00${code};`)],
    ["\\x", every((code) => `\\x${code.toString(16)}`)],
    ["\\u{}", every((code) => `\\u{${code.toString(16)}}`)],
    ["Markdown escapes", apiKey.replaceAll(/[^\w\s]|_/gu, "\\$&")],
    ["characters that nobody sees", [...apiKey].join("\u200b")],
    ["those, as HTML", [...apiKey].join("&#8203;")],
    ["Base64 in Markdown", Buffer.from(`?>${apiKey}`).toString("base64url").replaceAll(/[-_]/gu, "\\$&")],
    ["Base64 in HTML", base64(`?>${apiKey}`).replaceAll("+", "&#43;").replaceAll("/", "&#x2F;")],
  ])("in %s, whole and in part", (_, echo) => {
    for (const part of [echo, echo.slice(0, Math.floor(echo.length * 0.8))]) {
      const masked = redactor(apiKey).redact(part);
      expect(masked).toContain("(secret)");
      expect(masked.replace("(secret)", "").length).toBeLessThan(echo.length / 3);
    }
  });

  it("beyond the basic plane, too", () => {
    const secret = "🔑🔒🔓🗝🔐🔏🔎🔍";
    const echo = [...secret].map((x) => `&#x${(x.codePointAt(0) ?? 0).toString(16)};`).join("");
    expect(redactor(secret).redact(`<b>${echo}</b>`)).toBe("<b>(secret)</b>");
  });

  it("not where it is a word of edgewise, nor where everybody can read it", () => {
    const some = redactor("delete", "edgewise.plan/v1", "POST", "hunter22");
    const text = '{"format":"edgewise.plan/v1","method":"POST","delete":1}';
    expect(some.redact(text)).toBe(text);
    expect(some.redact("hunter22")).toBe("(secret)");
    some.reveal("description: hunter22 is his name");
    expect(some.redact("hunter22")).toBe("hunter22");
    some.addKey("hunter22");
    expect(some.redact("hunter22")).toBe("(secret)");
  });

  it("wherever it stands in any text", () => {
    const secret = fc.string({ minLength: 8, maxLength: 60, unit: "grapheme" }).filter((text) => text.length >= 8);
    fc.assert(
      fc.property(secret, fc.string(), fc.string(), (secret, before, after) => {
        fc.pre(!"(secret)".includes(secret));
        const masked = redactor(secret).redact(before + secret + after);
        expect(masked).toContain("(secret)");
        expect(masked.length - before.length - after.length).toBeLessThanOrEqual("(secret)".length);
      }),
      runs(),
    );
  });
});

describe("text of the server", () => {
  const plain = new Redactor();

  it("is one line without anything that a terminal obeys", () => {
    const text = "\u001B[31mred\u001B[0m\r\n::error::x\u0007 \u202Eevil\u200B \u009B2J\u2028end\u0000";
    expect(cleanText(text, plain, 200)).toBe("red ::error::x\uFFFD \uFFFDevil\uFFFD \uFFFD2J end\uFFFD");
  });

  it("is cut, but not in the middle of a character", () => {
    expect(cleanText("abcdef", plain, 3)).toBe("abc…");
    expect(cleanText("ab🙂cd", plain, 3)).toBe("ab…");
    expect(cleanText("x".repeat(1e6), plain, 10)).toBe(`${"x".repeat(10)}…`);
  });

  it("shows no part of a secret where it is cut, nor where an escape was taken out", () => {
    const secret = "canary-0123456789";
    const some = redactor(secret);
    expect(cleanText(`key ${secret}`, some, 12)).toBe("key (secret)");
    expect(cleanText("canary-\u001B[1m0123456789", some, 100)).toBe("(secret)");
    expect(cleanText(`${" ".repeat(65_526)}${secret}`, some, 100)).not.toContain("canary");
  });

  it("never holds what it must not, whatever came", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), fc.integer({ min: 1, max: 50 }), (text, max) => {
        const clean = cleanText(text, plain, max);
        expect(clean).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
        expect(clean.length).toBeLessThanOrEqual(max + 1);
      }),
      runs(),
    );
  });
});

it("searches for all spellings of a long key as soon as its parts are public", () => {
  const redactor = new Redactor();
  // In a form, none of its own pieces is left: each has a space, which is written as a plus.
  const key = Array.from({ length: 30 }, (_, index) => `${String.fromCharCode(97 + (index % 26))}${index % 10}`).join(
    " ",
  );
  const asForm = key.replaceAll(" ", "+");
  redactor.addKey(key);
  redactor.reveal(key);
  expect(redactor.redact(`key ${key}!`)).toBe("key (secret)!");
  expect(redactor.redact(`key=${asForm}!`)).toBe("key=(secret)!");
});
