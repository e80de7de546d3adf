import fc from "fast-check";
import { expect, it } from "vitest";
import type { Value, ValueObject } from "../../src/core/json.ts";
import { policy } from "../../src/kinds/policy/policy-codec.ts";
import { mapSecrets, secretsIn } from "../../src/kinds/policy/secret-places.ts";
import { policyShapes } from "../slow/security/support/policy-shapes.ts";
import { runs } from "../support/runs.ts";

const names = fc.constantFrom(
  ..."name key value header token tokens secret auth pass smtp_pass otp salt sig psk dsn key_id cookie env file type".split(
    " ",
  ),
  ...'config actions X-Api-Key max_tokens public_key __proto__x \u017fecret to\u212aen 1 a"b'.split(" "),
);
const texts = fc.constantFrom(
  ..."x Authorization (secret) token=abc Bearer https://u:p@h.example ${vault.key} 12 \u017fecret \\u0073ecret a/b".split(
    " ",
  ),
  "",
  "Bearer abc.def",
  "X-Api-Key: abc",
  '{"token":"x"}',
  '"env":"A"',
  "a\nb",
  "(secret, env X)",
  "basic x1==",
  "-----BEGIN PRIVATE KEY-----\nx",
);

const { document } = fc.letrec<{ document: ValueObject; value: Value }>((tie) => ({
  document: fc.dictionary(names, tie("value"), { maxKeys: 3 }),
  value: fc.oneof(
    { maxDepth: 5, depthSize: "small" },
    texts,
    fc.constantFrom(null, true, 0, 7),
    fc.array(tie("value"), { maxLength: 3 }),
    tie("document"),
  ),
}));

const shapes = fc
  .tuple(fc.constantFrom(...policyShapes), fc.constantFrom("hunter2-A1", "x", "${vault.key}", ""))
  .map(([[, make], secret]) => ({ on_tcp_connect: [make(secret)] }));

const documents = fc.oneof(document, shapes);

function placesIn(document: Value): readonly string[] {
  const places: string[] = [];
  mapSecrets(document, (secret, path) => {
    places.push(JSON.stringify(path));
    return secret;
  });
  return places;
}

it("a policy without a secret has no place of a secret, and stays text", () => {
  fc.assert(
    fc.property(documents, (document) => {
      const text = policy.fromManifest(document);
      if (typeof text !== "string") return;
      expect(text).toBe(JSON.stringify(document));
      expect(policy.fromWire(text)).toBe(text);
      expect([placesIn(document), secretsIn(document)]).toEqual([[], []]);
    }),
    runs(500),
  );
});
