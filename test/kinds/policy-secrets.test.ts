import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Json, type Value, isObject } from "../../src/core/json.ts";
import { SecretPolicy, policy, samePolicy, shownBoth } from "../../src/kinds/policy.ts";
import { canonicalJson } from "../../src/plan/plan-format.ts";
import { isSecretName } from "../../src/core/secret-names.ts";
import { Secret } from "../../src/core/secret.ts";
import { policyShapes } from "../slow/security/support/policy-shapes.ts";
import { runs } from "../support/runs.ts";

const env = (name: string, text: string): Secret => Secret.of(text, `env ${name}`);
const config = (of: { readonly [member: string]: Value }): Value => ({
  on_tcp_connect: [{ actions: [{ config: of }] }],
});

describe("a name", () => {
  it.each(["client_secret", "clientSecret", "Client-Secret", "X-API-Key", "apikey", "TOKEN", "password1", "tokens"])(
    "of a secret: %s",
    (name) => expect(isSecretName(name)).toBe(true),
  );

  it.each(["token_url", "client_id", "name", "bypass", "password_policy", "compass", "max_tokens", "", "constructor"])(
    "of something else: %s",
    (name) => expect(isSecretName(name)).toBe(false),
  );
});

describe("a policy", () => {
  it.each(policyShapes)("with %s is bound, and prints without it", (_shape, make) => {
    const value = policy.fromWire(JSON.stringify({ on_tcp_connect: [make("hunter2-A1")] }));
    expect(value).toBeInstanceOf(SecretPolicy);
    expect(policy.toWire(value)).toEqual({ json: null, bind: { "": { secret: true, live: true } } });
    expect(JSON.stringify(value)).not.toContain("hunter2");
    expect(canonicalJson({ value })).not.toContain("hunter2");
    expect(String(value)).toBe("(secret)");
  });

  it.each([
    ["nothing secret", { url: "https://a.example", name: "a token is asked for" }],
    ["a switch under such a name", { token: true, password: null, secret: "", cookie: {} }],
    ["where something comes from", { token: "${secrets.get('vault', 'key')}", authorization: "Bearer ${vault.key}" }],
    ["a number of tokens", { max_tokens: { requests: 5 } }],
    [
      "where tokens are found",
      { tokens: [{ type: "jwt", method: "header", name: "Authorization", prefix: "Bearer " }] },
    ],
    [
      "words that are secrets only as texts or on their own",
      { auth: { type: "none" }, design: "x: y", redact: ["authorization", "cookie"], to: "mailto:a@b.example" },
    ],
    ["what looks like a secret in free text", { add: ["X-Api-Key: a1"], body: '{"token":"a"}', url: "https://u:p@h" }],
  ])("with %s stays text", (_what, of) => {
    const text = JSON.stringify(config(of));
    expect(policy.fromWire(text)).toBe(text);
    expect(policy.fromManifest(config(of))).toBe(text);
    expect(policy.toWire(text)).toEqual({ json: text, bind: {} });
  });
});

describe("two policies", () => {
  it.each([
    ["1.0", "1"],
    ["1e3", "1000"],
    ["-0.50", "-5e-1"],
    ["0.30000000000000004", "0.30000000000000004"],
  ])("are the same in other spellings of a number: %s and %s", (a, b) => {
    const texts = [a, b].map((number) => policy.fromWire(`{"n":${number},"token":"t"}`));
    expect(samePolicy(texts[0] ?? null, texts[1] ?? null)).toBe(true);
    expect(samePolicy(texts[0] ?? null, policy.fromManifest({ token: env("T", "t"), n: Number(b) }))).toBe(true);
  });

  it("keep their secrets beside each other when rules come and go", () => {
    const rule = (name: string, token: Value): Value => ({ name, token });
    const [before, after] = shownBoth(
      policy.fromWire(JSON.stringify({ p: [rule("a", "1"), rule("b", "2"), rule("c", "3")] })),
      policy.fromManifest({ p: [rule("new", env("N", "0")), rule("a", env("A", "1")), rule("b", env("B", "x"))] }),
    );
    expect([before, after].map((text) => JSON.parse(String(text)) as Json)).toEqual([
      { p: [rule("a", "(secret, env A)"), rule("b", "(secret)"), rule("c", "(secret)")] },
      {
        p: [rule("new", "(secret, env N) changed"), rule("a", "(secret, env A)"), rule("b", "(secret, env B) changed")],
      },
    ]);
  });
});

describe("a text that isn't JSON", () => {
  it("is hidden as a whole where a name in it may be that of a secret, and says that it changed", () => {
    const [from, to] = [policy.fromWire("a: 1\npassword: a"), policy.fromManifest("a: 1\npassword: b")];
    expect(JSON.stringify([from, to])).toBe('["(secret)","(secret)"]');
    expect(shownBoth(from, to)).toEqual(["(secret)", "(secret) changed"]);
    expect(policy.fromWire("a: 1")).toBe("a: 1");
  });
});

const names = fc.constantFrom("client_secret", "password", "X-Api-Key", "url", "name", "type", "config", "a", "b");
const { document } = fc.letrec<{ document: Json; list: Json; object: Json; leaf: Json }>((tie) => ({
  document: fc.oneof({ depthSize: "small", withCrossShrink: true }, tie("leaf"), tie("list"), tie("object")),
  list: fc.array(tie("document"), { maxLength: 4 }),
  object: fc.dictionary(names, tie("document"), { maxKeys: 4 }),
  leaf: fc.oneof(fc.stringMatching(/^[a-z]{1,8}$/u), fc.integer(), fc.boolean(), fc.constant(null)),
}));

function leavesOf(value: Json, path: readonly (string | number)[] = []): readonly (readonly (string | number)[])[] {
  if (typeof value !== "object" || value === null) return [path];
  return Object.entries(value).flatMap(([step, part]) => leavesOf(part ?? null, [...path, step]));
}

function changedAt(value: Json, [step, ...rest]: readonly (string | number)[], to: Json): Json {
  if (step === undefined) return to;
  if (Array.isArray(value))
    return value.map((item: Json, at) => (at === Number(step) ? changedAt(item, rest, to) : item));
  if (!isObject(value)) return value;
  const entries = Object.entries(value) as [string, Json][];
  return Object.fromEntries(entries.map(([name, part]) => [name, name === step ? changedAt(part, rest, to) : part]));
}

describe("whatever a policy holds", () => {
  const changed = fc
    .tuple(fc.dictionary(names, document, { minKeys: 1 }), fc.nat())
    .filter(([whole]) => leavesOf(whole).length > 0)
    .map(([whole, pick]) => {
      const leaves = leavesOf(whole);
      return { whole, path: leaves[pick % leaves.length] ?? [] };
    });

  it("a changed leaf is a difference that is seen; of a secret one only that it changed", () => {
    fc.assert(
      fc.property(changed, ({ whole, path }) => {
        const [from, to] = ["C4n4ryBefore", "C4n4ryAfter"].map((text) =>
          policy.fromWire(JSON.stringify(changedAt(whole, path, text))),
        ) as [Value, Value];
        expect(samePolicy(from, to)).toBe(false);
        const [before, after] = shownBoth(from, to);
        expect(before).not.toBe(after);
        const secret = path.some((step) => typeof step === "string" && isSecretName(step));
        expect(String(before).includes("C4n4ryBefore")).toBe(!secret);
        expect(String(after).includes("C4n4ryAfter")).toBe(!secret);
      }),
      runs(200),
    );
  });
});
