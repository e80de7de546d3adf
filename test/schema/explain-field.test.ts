import { describe, expect, it } from "vitest";
import { type Explanation, explain } from "../../src/schema/explain-field.ts";
import { schemaNames } from "../../src/schema/schema-files.ts";

async function explained(path: string): Promise<Explanation> {
  const [name = "", ...fields] = path.split(".");
  const found = explain(name, fields);
  if ("missing" in found) throw new Error(`there is no ${found.missing} in ${found.known}`);
  return found;
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
    ["TLSEdge", ["hostprots"], { known: "TLSEdge", suggestion: "hostports", readOnly: false }],
    [
      "TLSEdge",
      ["tls_termination", "minversion"],
      { known: "TLSEdge.spec.tls_termination", suggestion: "min_version" },
    ],
    ["ReservedAddress", ["addr"], { suggestion: null, readOnly: true }],
    ["TLSEdge", ["description", "x"], { known: "TLSEdge.spec.description", members: [] }],
  ])("knows no %s %j", async (name, fields, expected) => {
    expect(explain(name, fields)).toMatchObject(expected);
  });

  it("has something to say of every field of every schema", async () => {
    for (const name of schemaNames) {
      const queue: (readonly string[])[] = [[]];
      for (let fields = queue.pop(); fields !== undefined; fields = queue.pop()) {
        const found = explain(name, fields);
        if ("missing" in found) throw new Error(`${name}.${fields.join(".")} is listed and not found`);
        expect(found.description, found.path).toMatch(/[.)]$/);
        for (const member of found.members) if (!member.name.startsWith("spec.")) queue.push([...fields, member.name]);
      }
    }
  });
});
