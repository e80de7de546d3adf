import { describe, expect, it } from "vitest";
import { explainCommand } from "../../src/commands/explain.ts";
import { schemaCommand } from "../../src/commands/schema.ts";
import { kindNames } from "../../src/kinds/names.ts";
import { memoryIo } from "../commands/memory-io.ts";

describe("schema", () => {
  it("prints the schema of manifests, or of one kind", async () => {
    const any = memoryIo();
    expect(await schemaCommand(undefined, {}, any)).toBe(0);
    expect(JSON.parse(any.out())).toMatchObject({ title: "Manifest" });
    const one = memoryIo();
    await schemaCommand("config", {}, one);
    expect(JSON.parse(one.out())).toMatchObject({ title: "Config" });
    expect(one.out().endsWith("}\n")).toBe(true);
    expect(one.err()).toBe("");
  });

  it("suggests", async () => {
    await expect(schemaCommand("TLSEdges", {}, memoryIo())).rejects.toMatchObject({
      code: "usage",
      remedy: expect.stringMatching(/^Did you mean TLSEdge\?/),
    });
  });
});

describe("explain", () => {
  it("prints a page", async () => {
    const io = memoryIo();
    expect(await explainCommand("HTTPResponseBackend.status_code", {}, io)).toBe(0);
    expect(io.out()).toBe(`HTTPResponseBackend.spec.status_code

Status code. The HTTP status of the response.

  Type      whole number
  Required  yes
  Limits    100 to 599
  Set       at any time
  Impact    routing

Examples
  status_code: 503
`);
  });

  it.each([
    ["TLSEdges", "Did you mean TLSEdge?"],
    ["TLSEdge.hostport", "Did you mean hostports?"],
    ["ReservedAddress.addr", "Available fields: description"],
    ["TLSEdge.description.x", "It has no fields."],
    ["", `Available kinds: ${kindNames.join(", ")}`],
  ])("helps with %j", async (path, remedy) => {
    await expect(explainCommand(path, {}, memoryIo())).rejects.toMatchObject({
      code: "usage",
      remedy: expect.stringContaining(remedy),
    });
  });
});
