import { describe, expect, it } from "vitest";
import { interpretResponse } from "../../../../src/api/interpret-response.ts";
import { secretMember } from "../../../../src/diagnostics/hide-secrets.ts";
import { certificateBlocks } from "../../../../src/pem.ts";
import { Redactor } from "../../../../src/redact.ts";
import { withoutSlashes } from "../../../../src/text/layout.ts";
import { backend, edge, stage } from "../../../commands/stage.ts";
import { counted } from "../support/counted-text.ts";

/** How many characters of a text something looks at, for each character that it has. */
function looksPerCharacter(text: string, read: (text: string) => unknown): number {
  const { looked, text: watched } = counted(text);
  read(watched);
  return looked() / text.length;
}

describe("A line of a manifest is built to make the search for secrets slow → it looks at each character a few times", () => {
  it.each<readonly [string, string]>([
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
  it.each<readonly [string, string]>([
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
  it.each(["/".repeat(100_000), `${"/".repeat(100_000)}x`, "/x".repeat(50_000)])("%#", (text) => {
    expect(looksPerCharacter(text, withoutSlashes)).toBeLessThan(3);
  });
});

async function validated(spec: string, files: { readonly [path: string]: string } = {}): Promise<string> {
  const on = await stage();
  await on.write("edge/a.yaml", spec);
  for (const [path, text] of Object.entries(files)) await on.write(path, text);
  const { exit, out, err } = await on.run("validate");
  expect(exit, out + err).toBe(1);
  expect(out + err).not.toMatch(/bug in edgewise|RangeError/u);
  return out + err;
}

const policy = (value: string): string => edge("x", "a.example.com:443", `, traffic_policy: {value: ${value}}`);
const deep = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);

describe("Something is nested without end → an error that says how deep it may be", () => {
  it.each<readonly [string, string] | readonly [string, string, { readonly [path: string]: string }]>([
    ["brackets in YAML", policy(`{a: ${deep(100_000)}}`)],
    ["brackets that are not closed", policy(`{a: ${"[".repeat(100_000)}`)],
    ["braces", policy("{a: ".repeat(50_000))],
    ["list dashes", `${"- ".repeat(100_000)}x`],
    ["keys with question marks", `${"? ".repeat(20_000)}x`],
    ["block maps", Array.from({ length: 3000 }, (_, i) => `${" ".repeat(i)}a:\n`).join("")],
    ["JSON in a text", policy(`'${deep(200_000)}'`)],
    ["JSON in a member of a text", policy(`'{"a":${deep(200_000)}}'`)],
    ["JSON in a file", policy("{file: p.json}"), { "edge/p.json": `{"a":${deep(200_000)}}` }],
    ["YAML in a file", policy("{file: p.yaml}"), { "edge/p.yaml": `a: ${deep(200_000)}` }],
    [
      "aliases inside aliases",
      `a0: &a0 1\n${Array.from({ length: 200 }, (_, i) => `a${i + 1}: &a${i + 1} ${"[".repeat(40)}*a${i}${"]".repeat(40)}\n`).join("")}${policy("*a200")}`,
    ],
    ["the configuration", backend("x"), { "edgewise.yaml": `variables: {v: ${deep(100_000)}}\n` }],
  ])("%s", async (...[, text, files]) => {
    expect(await validated(text, files)).toMatch(/nested more than 100 deep/u);
  });
});

describe("Aliases stand for more than memory holds → an error at the first that is too much", () => {
  const laughs = (each: string): string =>
    `a0: &a0 ${each}\n${Array.from({ length: 12 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array.from({ length: 10 }, () => `*a${i}`).join(", ")}]\n`).join("")}`;
  it.each<readonly [string, string]>([
    ["a billion laughs", laughs("x")],
    ["maps of maps", laughs("{b: {c: d}}")],
    ["one long text a thousand times", `x: &x ${"y".repeat(100_000)}\nl: [${"*x, ".repeat(1000)}]\n`],
    ["an alias for each of its own", "a: &a [*a, *a]\n"],
  ])("%s", async (_, text) => {
    expect(await validated(text)).toMatch(/aliases of this document copy more than|inside its own anchor/u);
  });
});

describe("A document has a hundred thousand mistakes → they are told in time, and a thousand are shown", () => {
  const many = (count: number, of: (index: number) => string): string =>
    Array.from({ length: count }, (_, i) => of(i)).join("");
  it.each<readonly [string, string]>([
    [
      "hostports",
      `apiVersion: edgewise/v1\nkind: TLSEdge\nmetadata: {name: x}\nspec:\n  hostports:\n${many(20_000, (i) => `  - "x${i}"\n`)}`,
    ],
    [
      "phases beside secrets",
      `apiVersion: edgewise/v1\nkind: TLSEdge\nmetadata: {name: x}\nspec:\n  hostports: [a]\n  traffic_policy:\n    value:\n${many(20_000, (i) => `      on_tcp_conect${i}: [{token: secret-${i}}]\n`)}`,
    ],
    [
      "ignored fields",
      `apiVersion: edgewise/v1\nkind: TLSEdge\nmetadata: {name: x}\nlifecycle: {ignore: [${many(20_000, (i) => `spec.p${i}, `)}]}\nspec: {hostports: [a]}\n`,
    ],
  ])("%s", async (_, text) => {
    const shown = await validated(text);
    expect(shown).not.toContain("secret-1");
    expect(shown.match(/\[(hostport-syntax|policy-phase|unknown-ignored-field)\]/gu)?.length ?? 0).toBeLessThanOrEqual(
      1001,
    );
  });
});

describe("A certificate is a chain of thousands → an error says how many are read", () => {
  it.each([101, 5000])("%d certificates", async (count) => {
    const text = `apiVersion: edgewise/v1\nkind: TLSCertificate\nmetadata: {name: x}\nspec: {certificate_pem: {file: chain.pem}, private_key_pem: {env: KEY}}\n`;
    const chain = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".repeat(count);
    expect(await validated(text, { "edge/chain.pem": chain })).toContain(
      `has ${count} certificates, more than the limit of 100`,
    );
  });
});

describe("A service breaks off or garbles an answer that holds a secret → the error does not quote it", () => {
  const secret = "l1ve-s3cret-of-somebody";
  it.each([
    `{"enabled":true,"provider":"GITHUB","secret":"${secret}`,
    `{"enabled":true"secret":"${secret}"}`,
    `{"enabled":true "sec?et":"${secret}"}`,
    `["${secret}"`,
    `"${secret}`,
    `x{"secret":"${secret}"}`,
    `\ufeff{"secret":"${secret}"`,
  ])("%s", (body) => {
    const asked = {
      method: "GET",
      path: "/x",
      attempts: 1,
      lost: false,
      baseUrl: "http://127.0.0.1:1",
      redactor: new Redactor(),
      withoutKey: (text: string) => text,
    } as const;
    for (const status of [200, 400]) {
      const answer = { type: "answer", status, header: () => null, body: Buffer.from(body) } as const;
      const read = (): unknown => interpretResponse(answer, asked, (code) => code === 200);
      expect(read).toThrow(/is not JSON/u);
      expect(read).not.toThrow(secret);
    }
  });
});
