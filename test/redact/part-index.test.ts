import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PartIndex, partLength } from "../../src/redact/part-index.ts";
import { Redactor } from "../../src/redact/redactor.ts";
import { runs } from "../support/runs.ts";

/** Letters and digits as secrets have them: no words, no dates. */
const token = fc.string({
  unit: fc.constantFrom(..."ABCDEFGHJKLMNPQRSTUVWXYZ0123456789"),
  minLength: 16,
  maxLength: 200,
});

/** What has nothing in common with a token. */
const prose = fc.string({ unit: fc.constantFrom(...'abcdefghij .:,/\\"%&<>{}[]\n-'), maxLength: 100 });

function redactor(secrets: readonly string[], index = new PartIndex()): Redactor {
  const made = new Redactor(index);
  for (const secret of secrets) made.add(secret);
  return made;
}

/** Whether a text holds eight characters of a secret, each of which is worth hiding. */
function shows(text: string, secret: string): boolean {
  for (let at = 0; at + partLength <= secret.length; at += 1) {
    const part = secret.slice(at, at + partLength);
    if (new Set(part).size >= 4 && text.includes(part)) return true;
  }
  return false;
}

const cut = fc.record({ from: fc.nat(200), length: fc.integer({ min: partLength, max: 200 }) });

describe("parts of secrets", () => {
  it("are masked from eight characters on, wherever they stand and however they are spelt", () => {
    const spelling = fc.constantFrom<((text: string) => string)[]>(
      (text) => text,
      (text) => JSON.stringify(JSON.stringify(text)),
      (text) => encodeURIComponent(text),
      (text) => [...text].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join(""),
      (text) => [...text].map((letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join(""),
    );
    fc.assert(
      fc.property(
        fc.array(token, { minLength: 1, maxLength: 5 }),
        cut,
        spelling,
        prose,
        prose,
        (secrets, { from, length }, spell, before, after) => {
          const secret = secrets[0] ?? "";
          const start = from % (secret.length - partLength + 1);
          const part = secret.slice(start, start + length);
          fc.pre(shows(part, secret));
          const masked = redactor(secrets).redact(`${before} ${spell(part)} ${after}`);
          expect(masked).toContain("(secret)");
          expect(shows(masked, secret)).toBe(false);
          expect(shows(masked.replaceAll(/\\u00|%/g, ""), Buffer.from(secret).toString("hex"))).toBe(false);
        },
      ),
      runs(),
    );
  });

  it("are masked in Base64 and hexadecimal, whatever stands beside them", () => {
    fc.assert(
      fc.property(
        token,
        cut,
        fc.string({ maxLength: 5 }),
        fc.constantFrom<BufferEncoding[]>("base64", "base64url", "hex"),
        (secret, { from, length }, before, encoding) => {
          const start = from % (secret.length - partLength + 1);
          const part = secret.slice(start, start + length);
          fc.pre(shows(part, secret));
          const encoded = Buffer.from(before + part).toString(encoding);
          const masked = redactor([secret]).redact(`<${encoded}>`);
          expect(masked).toContain("(secret)");
          const rest = masked
            .split("(secret)")
            .map((piece) => Buffer.from(piece.replaceAll(/[<>]/g, ""), encoding).toString("latin1"));
          for (const piece of rest) expect(shows(piece, secret)).toBe(false);
        },
      ),
      runs(),
    );
  });

  it("of fewer characters are left alone, and so is every text without one", () => {
    fc.assert(
      fc.property(token, fc.nat(200), prose, (secret, from, text) => {
        const start = from % (secret.length - partLength + 1);
        const whole = `${text} ${secret.slice(start, start + partLength - 1)} ${text}`;
        expect(redactor([secret]).redact(whole)).toBe(whole);
      }),
      runs(),
    );
  });

  it("are masked once and for all", () => {
    fc.assert(
      fc.property(token, cut, prose, prose, (secret, { from, length }, before, after) => {
        const some = redactor([secret]);
        const masked = some.redact(`${before} ${secret.slice(from % secret.length).slice(0, length)} ${after}`);
        expect(some.redact(masked)).toBe(masked);
      }),
      runs(),
    );
  });

  it("leave JSON as JSON, with nothing but texts and long numbers changed", () => {
    const digits = fc.string({ unit: fc.constantFrom(..."123456789"), minLength: 8, maxLength: 15 });
    fc.assert(
      fc.property(
        fc.oneof(token, digits, fc.string({ minLength: 4 })),
        fc.jsonValue(),
        fc.boolean(),
        (secret, value, indented) => {
          const number = Number(secret);
          const document = {
            value,
            secret,
            part: secret.slice(0, 8),
            [secret]: secret,
            number: Number.isFinite(number) ? number : 1,
          };
          const masked = redactor([secret]).redact(JSON.stringify(document, null, indented ? 2 : 0));
          const parsed = JSON.parse(masked) as { readonly [member: string]: unknown };
          // A secret whose text is harmless is left where only it is written.
          if (/^[A-Z0-9]{16,}$/.test(secret)) expect(masked).not.toContain(secret);
          if (/^\d{8,}$/.test(secret)) expect(parsed["number"]).toBe("(secret)");
        },
      ),
      runs(),
    );
  });

  it("are masked when a write ends inside of one", async () => {
    const { memoryIo } = await import("../commands/memory-io.ts");
    const secret = "Q7ZK2M9XT4VB8NC1RW6L";
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 19 }), { maxLength: 6 }), (cuts) => {
        const io = memoryIo({ env: { EDGEWISE_API_KEY: secret } });
        const at = [0, ...[...new Set(cuts)].toSorted((a, b) => a - b), secret.length];
        io.stderr("it is ");
        for (let index = 1; index < at.length; index += 1) io.stderr(secret.slice(at[index - 1], at[index]));
        io.stderr(" indeed\n");
        expect(shows(io.err(), secret), io.err()).toBe(false);
        expect(io.err()).toMatch(/^it is .* indeed\n$/);
      }),
      runs(),
    );
  });
});

describe("what is not masked", () => {
  const key =
    "-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgq7Zk2Mx9Tv4Bn8Cr\n-----END PRIVATE KEY-----\n";

  it("armor, and the head that every key of a sort has", () => {
    const text =
      "-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg\n-----END PRIVATE KEY-----\n";
    expect(redactor([key]).redact(text)).toBe(text);
    expect(redactor([key]).redact("…Bq7Zk2Mx9Tv…")).toBe("…B(secret)…");
  });

  it("days", () => {
    const some = redactor(["key-2026-11-21-Q7ZK2M9X"]);
    const line = '{"time":"2026-11-21T14:20:00.000Z","level":"info"}';
    expect(some.redact(line)).toBe(line);
    expect(some.redact("it begins with key-2026-11")).toBe("it begins with (secret)");
  });

  it("words of edgewise itself, rulers and prose", () => {
    const some = redactor([
      "production-webhook-7",
      "something else entirely 99",
      "password-edgewise",
      "----------------===",
    ]);
    const text = "TLSEdge/production webhook_verification: something else, password of edgewise -------- ========\n";
    expect(some.redact(text)).toBe(text);
    expect(some.redact("echo: duction-webhook-7 and sword-edgewise")).toBe("echo: (secret) and (secret)");
  });

  it("addresses, files and variables, even when a whole secret is part of one", () => {
    const some = redactor(["webhooks", "GITHUB_HOOK"]);
    for (const name of ["TLSEdge/webhooks", "edge/webhooks.yaml", "GITHUB_HOOK", "env GITHUB_HOOK"]) some.name(name);
    const text = "TLSEdge/webhooks (edge/webhooks.yaml:3): (secret, env GITHUB_HOOK)";
    expect(some.redact(text)).toBe(text);
    expect(some.redact("the service says: webhooks")).toBe("the service says: (secret)");
  });

  it("a part that is public, unless the secret itself stands in a manifest", () => {
    const inFile = redactor(["Q7ZK2M9XT4VB8NC1"]);
    inFile.reveal({ deep: [{ text: "is it K2M9XT4VB or K2M9XT4VC?" }] });
    expect(inFile.redact("K2M9XT4VB")).toBe("K2M9XT4VB");
    expect(inFile.redact("Q7ZK2M9XT4VB8NC1")).toBe("(secret)");
    const inline = new Redactor();
    inline.add("Q7ZK2M9XT4VB8NC1", true);
    inline.reveal("secret: Q7ZK2M9XT4VB8NC1");
    expect(inline.redact("K2M9XT4VB")).toBe("(secret)");
  });

  it("a secret that the manifests say outside of secrets, though they hold it in one, too", () => {
    const some = new Redactor();
    some.add("evil.example.com:443", true);
    expect(some.redact("to evil.example.com:443")).toBe("to (secret)");
    some.show(() => [{ hostports: ["evil.example.com:443"] }]);
    expect(some.redact("to evil.example.com:443")).toBe("to evil.example.com:443");
    // It is told of again, and known to be hidden more strictly.
    some.addKey("evil.example.com:443");
    expect(some.redact("to evil.example.com:443")).toBe("to (secret)");
  });
});

describe("the cost", () => {
  const keyOf = (seed: number): string =>
    Array.from({ length: 3000 }, (_, at) =>
      String.fromCharCode(65 + ((seed * 31 + at * (seed + 7) + ((at * at) >> 3)) % 26)),
    ).join("");
  const stepsFor = (secrets: number, length: number): number => {
    const index = new PartIndex(1);
    const some = redactor(
      Array.from({ length: secrets }, (_, seed) => keyOf(seed)),
      index,
    );
    const text = "the quick brown fox; 0123456789 ".repeat(length / 32);
    some.redact(text);
    const before = index.steps;
    some.redact(text);
    return index.steps - before;
  };

  it("grows with the text alone: each unit of it is looked up a few times", () => {
    const one = stepsFor(1, 32_000);
    expect(stepsFor(1, 320_000)).toBeLessThan(10.5 * one);
    expect(stepsFor(300, 32_000)).toBeLessThan(2 * one);
    expect(one).toBeLessThan(8 * 32_000);
  });

  it("counts every lookup of a text that is full of parts, and they are few for each unit", () => {
    const index = new PartIndex(1);
    const secret = keyOf(1);
    const some = redactor([secret], index);
    const text = secret.repeat(10);
    some.redact(text);
    const before = index.steps;
    expect(some.spans(text)).toHaveLength(10);
    const steps = index.steps - before;
    expect(steps).toBeGreaterThan(text.length);
    expect(steps).toBeLessThan(8 * text.length);
  });

  it("doesn't grow when secrets are alike, or their texts made to collide", () => {
    const index = new PartIndex();
    const some = redactor(
      Array.from({ length: 200 }, (_, at) => `${"AB".repeat(500)}${at}`),
      index,
    );
    const before = index.steps;
    some.redact("AB".repeat(5000));
    expect(index.steps - before).toBeLessThan(20 * 10_000);
  });

  it("is bounded for what a service sends, which takes no room from what manifests name", () => {
    const index = new PartIndex(1);
    const some = redactor([], index);
    const large = Array.from({ length: 70 }, (_, seed) => keyOf(seed).repeat(85));
    for (const secret of large) some.addSent(secret);
    const full = index.size;
    expect(full).toBeLessThanOrEqual(70 * 16 * 1024);
    for (let sent = 0; sent < 500; sent += 1) some.addSent(`${sent}${"x".repeat(16_000)}`);
    expect(index.size).toBe(4 * 1024 * 1024);
    expect(some.redact(`it is ${large[3] ?? ""}`)).toBe("it is (secret)");
    some.add("Q7ZK2M9XT4VB8NC1");
    expect(some.redact("it begins with Q7ZK2M9XT4")).toBe("it begins with (secret)");
  });
});
