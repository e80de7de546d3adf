import { expect, it } from "vitest";
import { interpretResponse } from "../../src/api/interpret-response.ts";
import type { NamedField } from "../../src/kinds/kind.ts";
import { kindNames } from "../../src/kinds/names.ts";
import { kinds } from "../../src/kinds/registry.ts";
import { Redactor } from "../../src/redact.ts";
import { Secret } from "../../src/core/secret.ts";

const secretFields = kindNames.flatMap((name) =>
  secretsAmong(kinds[name].fieldList).map((member): readonly [string, string] => [name, member]),
);

it.each(secretFields)("a response never gives a secret of %s in clear: %s", (_kind, member) => {
  const redactor = new Redactor();
  const body = Buffer.from(JSON.stringify({ list: [{ [member]: "SERVERSIDE-SECRET" }] }));
  const response = { type: "answer", status: 200, header: () => null, body } as const;
  const request = { method: "GET", path: "/x", attempts: 1, lost: false, baseUrl: "http://127.0.0.1:1" } as const;
  const read = interpretResponse(response, { ...request, redactor, withoutKey: (text) => text });
  expect(JSON.stringify(read.body)).toBe(`{"list":[{"${member}":"(secret)"}]}`);
  expect(
    (read.body as { readonly list: readonly { readonly [member: string]: unknown }[] }).list[0]?.[member],
  ).toBeInstanceOf(Secret);
  expect(redactor.redact("it is SERVERSIDE-SECRET")).not.toContain("SERVERSIDE");
});

function secretsAmong(fields: readonly NamedField[]): readonly string[] {
  return fields.flatMap(({ name, field }) => [
    ...(field.secret === true ? [field.writeAs ?? name] : []),
    ...secretsAmong(field.module?.memberList ?? []),
  ]);
}
