import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { kindSlugs } from "../../src/generated/kind-names.ts";
import * as validators from "../../src/generated/manifest-validators.ts";
import { type KindName, kindNames } from "../../src/kinds/names.ts";
import { collectErrors } from "../../src/schema/schema-errors.ts";
import type { Validator } from "../../src/schema/validator.ts";
import { validatorOf } from "./all-schemas.ts";
import { runs } from "../support/runs.ts";

const scalar = fc.oneof(
  fc.constantFrom(
    null,
    true,
    false,
    0,
    200,
    600,
    1.5,
    "",
    "a",
    "edge",
    "upstream",
    "1.2",
    "api",
    "eu",
    "é".repeat(128),
    "x".repeat(256),
  ),
  fc.string(),
);
const ref = fc.oneof(fc.record({ id: scalar, name: scalar }, { requiredKeys: [] }), scalar);
const file = fc.record({ file: scalar, env: scalar, x: scalar }, { requiredKeys: [] });
const module = fc.record(
  {
    enabled: scalar,
    backend: ref,
    ip_policies: fc.array(ref, { maxLength: 3 }),
    certificate_authorities: fc.array(ref, { maxLength: 3 }),
    terminate_at: scalar,
    min_version: scalar,
    value: fc.oneof(scalar, file),
    provider: scalar,
    secret: fc.oneof(scalar, file),
  },
  { requiredKeys: [] },
);
const names = ["backend", "ip_restriction", "mutual_tls", "tls_termination", "traffic_policy", "webhook_verification"];
const spec = fc.record(
  {
    description: scalar,
    metadata: fc.oneof(scalar, fc.dictionary(fc.constantFrom("edgewise", "owner"), scalar)),
    hostports: fc.array(fc.oneof(scalar, fc.record({ address: scalar })), { maxLength: 3 }),
    ip_policies: fc.array(ref, { maxLength: 2 }),
    type: scalar,
    enforced: scalar,
    region: scalar,
    endpoint_configuration: ref,
    status_code: scalar,
    headers: fc.oneof(scalar, fc.dictionary(fc.string(), scalar)),
    body: fc.oneof(scalar, file),
    certificate_pem: fc.oneof(scalar, file),
    private_key_pem: fc.oneof(scalar, file),
    edge: ref,
    ...Object.fromEntries(names.map((name) => [name, fc.oneof(fc.constant(null), module)])),
  },
  { requiredKeys: [] },
);
const metadata = fc.record(
  {
    name: scalar,
    id: scalar,
    labels: fc.oneof(scalar, fc.dictionary(fc.string(), scalar)),
    previousNames: fc.array(scalar, { maxLength: 3 }),
  },
  { requiredKeys: [] },
);

/** The violated keywords and their places. `maxLength` beside `maxBytes` is for editors only, and not generated. */
function violations(
  validate: ((document: unknown) => boolean) & { errors?: readonly Violated[] | null },
  document: unknown,
) {
  if (validate(document)) return [];
  const places = (validate.errors ?? [])
    .filter(({ keyword, params }) => keyword !== "maxLength" || params["limit"] !== 255)
    .map(({ instancePath, keyword }) => `${instancePath} ${keyword}`);
  return [...new Set(places)].toSorted();
}

interface Violated {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: { readonly [name: string]: unknown };
}

const byKind: { readonly [K in KindName]: Validator } = validators;

describe.each(kindNames)("%s", (kind) => {
  it("gets the same result from the precompiled validator and from its schema", () => {
    const reference = validatorOf(kindSlugs[kind] ?? "");
    fc.assert(
      fc.property(spec, metadata, (spec, metadata) => {
        const document = { apiVersion: "edgewise/v1", kind, metadata, spec };
        expect(violations(byKind[kind], document)).toEqual(violations(reference, document));
        for (const { message, remedy } of collectErrors(byKind[kind], document, {})) {
          expect(message.length > 0 && remedy !== "" && !message.includes("undefined")).toBe(true);
        }
      }),
      runs(40),
    );
  });
});
