import { describe, expect, it } from "vitest";
import { type Explanation, explain } from "../../src/schema/explain-field.ts";
import { schemaNames } from "../../src/schema/schema-files.ts";

async function explained(path: string): Promise<Explanation> {
  const [name = "", ...fields] = path.split(".");
  return explain(name, fields);
}

describe("explain", () => {
  it.each(["TLSEdge.tls_termination.min_version", "TLSEdge.spec.tls_termination.min_version"])(
    "finds %s",
    async (path) => {
      const { path: full, facts, examples } = await explained(path);
      expect(full).toBe("TLSEdge.spec.tls_termination.min_version");
      expect(Object.fromEntries(facts)).toEqual({
        Type: "text, or null",
        Required: "no",
        Default: "the live value",
        Form: 'a TLS version in quotes, such as "1.2"',
        Set: "at any time",
      });
      expect(examples).toEqual(['min_version: "1.2"']);
    },
  );

  it.each([
    ["TLSEdge.hostports.address", "Limits", "at most 100 characters"],
    ["IPRestriction.type", "Set", "when the resource is created; another value makes a new one that takes its place"],
    [
      "TLSCertificate.private_key_pem",
      "Set",
      "when the resource is created, from outside of the manifest; never shown",
    ],
    ["Config.environments.any.api.timeout", "Default", '"30s"'],
    [
      "Config.variables",
      "Names",
      "the name of a variable: letters, digits, '_' and '-', not beginning with a digit or '-'",
    ],
  ])("says of %s: %s %s", async (path, label, text) => {
    expect(Object.fromEntries((await explained(path)).facts)[label]).toBe(text);
  });

  it.each([
    ["TLSEdge", ["hostprots"], 'TLSEdge has no field "hostprots"', /^Did you mean hostports\? Available/],
    ["TLSEdge", ["tls_termination", "minversion"], /^TLSEdge\.spec\.tls_termination has no/, /mean min_version\?/],
    ["ReservedAddress", ["addr"], "ReservedAddress.addr is read-only: the service sets it", /^Available/],
    ["TLSEdge", ["description", "x"], /^TLSEdge\.spec\.description has no/, "It has no fields."],
  ])("knows no %s %j", async (name, fields, message, remedy) => {
    const error = { code: "usage", message: expect.stringMatching(message), remedy: expect.stringMatching(remedy) };
    expect(() => explain(name, fields)).toThrow(expect.objectContaining(error));
  });

  it("has something to say of every field of every schema", async () => {
    for (const name of schemaNames) {
      const queue: (readonly string[])[] = [[]];
      for (let fields = queue.pop(); fields !== undefined; fields = queue.pop()) {
        const found = explain(name, fields);
        expect(found.description, found.path).toMatch(/[.)]$/);
        for (const member of found.members) if (!member.name.startsWith("spec.")) queue.push([...fields, member.name]);
      }
    }
  });
});
