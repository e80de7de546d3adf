import { describe, expect, it } from "vitest";
import { run } from "../../src/commands/run.ts";
import { kindNames } from "../../src/kinds/names.ts";
import { memoryIo } from "../commands/memory-io.ts";

async function ran(...args: readonly string[]) {
  const io = memoryIo();
  const exit = await run(args, io);
  return { exit, out: io.out(), err: io.err() };
}

describe("schema", () => {
  it("prints the schema of manifests, or of one kind", async () => {
    expect(JSON.parse((await ran("schema")).out)).toMatchObject({ title: "Manifest" });
    const one = await ran("schema", "config");
    expect(JSON.parse(one.out)).toMatchObject({ title: "Config" });
    expect(one.out.endsWith("}\n")).toBe(true);
    expect(one).toMatchObject({ exit: 0, err: "" });
  });

  it("suggests", async () => {
    expect(await ran("schema", "TLSEdges")).toMatchObject({
      exit: 1,
      err: expect.stringContaining("Did you mean TLSEdge?"),
    });
  });
});

describe("explain", () => {
  it("prints a page", async () => {
    const { exit, out } = await ran("explain", "HTTPResponseBackend.status_code");
    expect(exit).toBe(0);
    expect(out).toBe(`HTTPResponseBackend.spec.status_code

Status code. The HTTP status of the response.

  Type      whole number
  Required  yes
  Limits    100 to 599
  Set       at any time

Examples
  status_code: 503
`);
  });

  it.each([
    ["TLSEdges", "Did you mean TLSEdge?"],
    ["TLSEdge.hostport", "Did you mean hostports?"],
    ["ReservedAddress.addr", "Available fields: description"],
    ["TLSEdge.description.x", "It has no fields."],
    [".", `Available schemas: ${kindNames.join(", ")}`],
  ])("helps with %j", async (path, remedy) => {
    expect(await ran("explain", path)).toMatchObject({ exit: 1, err: expect.stringContaining(remedy) });
  });
});
