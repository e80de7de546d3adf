import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { serializeBody } from "../../src/api/request-parts.ts";
import type { Value } from "../../src/json.ts";
import { policy } from "../../src/kinds/policy/policy-codec.ts";
import { Secret } from "../../src/secret.ts";
import { runs } from "../support/runs.ts";

describe("a request's body", () => {
  it("is the JSON that it would be anyway", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(serializeBody(value as Value, () => undefined)).toBe(JSON.stringify(value));
      }),
      runs(),
    );
  });

  it("has every secret in clear, and tells of each", () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { maxLength: 5 }), (texts) => {
        const told: string[] = [];
        const body = { list: texts.map((text) => ({ secret: Secret.of(text, "test") })), absent: undefined };
        const sent: unknown = JSON.parse(serializeBody(body, (secret) => told.push(secret)));
        expect(sent).toEqual({ list: texts.map((secret) => ({ secret })) });
        expect(told).toEqual(texts);
      }),
      runs(),
    );
  });
});

it("tells each secret of a policy, which a service may echo without the rest", () => {
  const token = Secret.of("from-the-environment", "env TOKEN");
  const value = policy.fromManifest({ p: [{ token }, { password: "in-the-clear" }, { password: "short" }] });
  const told: string[] = [];
  const text = '{"p":[{"token":"from-the-environment"},{"password":"in-the-clear"},{"password":"short"}]}';
  expect(serializeBody({ value }, (secret) => told.push(secret))).toBe(JSON.stringify({ value: text }));
  expect(told).toEqual(["from-the-environment", "in-the-clear", "short"]);
});
