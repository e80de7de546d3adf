import { describe, expect, it } from "vitest";
import { violations } from "../schemas/all-schemas.ts";
import { address, applied, backend, edge, stage } from "./stage.ts";

describe("drift", () => {
  it("is clean after an apply, and 2 once somebody changed, made or deleted something", async () => {
    const { run, write, behind, id } = await applied(
      backend("a", 'status_code: 503, body: "a"') + backend("b") + address("tcp"),
    );
    const clean = await run("drift", "-o", "json");
    expect(clean.exit).toBe(0);
    expect(JSON.parse(clean.out)).toMatchObject({ format: "edgewise.drift/v1", clean: true, findings: [] });

    behind("PATCH", `/backends/http_response/${id("HTTPResponseBackend", { body: "a" })}`, { body: "meddled" });
    behind("DELETE", `/reserved_addrs/${id("ReservedAddress")}`);
    await write("edge/all.yaml", backend("a", 'status_code: 503, body: "a"') + address("tcp"));
    const { exit, out } = await run("drift", "-o", "json");
    expect(exit).toBe(2);
    const found = JSON.parse(out).findings.map(({ address: of, type }: { address: string; type: string }) => [
      of,
      type,
    ]);
    expect(found.toSorted()).toEqual([
      ["HTTPResponseBackend/a", "modified"],
      ["HTTPResponseBackend/b", "unexpected"],
      ["ReservedAddress/tcp", "missing"],
    ]);
  });

  it("finds a backend that is gone although an edge refers to it, which plan and apply refuse", async () => {
    const { run, write, behind, id, writes } = await stage({ model: { deleteReferenced: "dangle" } });
    const made = behind("POST", "/backends/http_response", { status_code: 200 });
    const reference = `, backend: {backend: {id: ${String(made["id"])}}}`;
    await write("edge/all.yaml", edge("api", "api.example.com:443", reference));
    expect((await run("apply", "-y")).exit).toBe(0);
    behind("DELETE", `/backends/http_response/${String(made["id"])}`);
    const { exit, out } = await run("drift", "-o", "json");
    expect(exit).toBe(2);
    expect(JSON.parse(out).findings).toMatchObject([
      {
        type: "dangling",
        address: "TLSEdge/api",
        id: id("TLSEdge"),
        impact: "routing",
        source: { file: "edge/all.yaml", line: 1 },
      },
    ]);
    for (const format of ["text", "markdown", "html", "github", "junit"]) {
      expect((await run("drift", "-o", format)).out).toMatch(/which is\s+gone/u);
    }
    expect(JSON.parse((await run("plan", "-o", "json")).out).refusals).toMatchObject([
      { code: "reference-not-live", address: "TLSEdge/api" },
    ]);
    const before = writes();
    const refused = await run("apply", "-y");
    expect(refused.exit).toBe(4);
    expect(refused.out + refused.err).toContain("reference-not-live");
    expect(writes()).toBe(before);
    expect((await run("apply", "-y", "--allow", "TLSEdge/api")).exit).toBe(0);
  });

  it("--unmanaged reports what nobody owns", async () => {
    const { run, behind } = await applied(backend("a"));
    const made = behind("POST", "/reserved_addrs", { region: "eu" });
    expect((await run("drift")).exit).toBe(0);
    const { exit, out } = await run("drift", "--unmanaged", "-o", "json");
    expect(exit).toBe(2);
    expect(JSON.parse(out).findings).toMatchObject([{ type: "unmanaged", id: made["id"] }]);
    const text = (await run("drift", "--unmanaged")).out;
    expect(text.split(String(made["id"]))).toHaveLength(2);
    expect(text).toContain(String(made["addr"]));
  });

  it("shows what the configuration tolerates apart until its last day is over; plans are as ever", async () => {
    const { run, read, write, behind, id } = await applied(backend("a", 'status_code: 503, body: "a"'));
    const config = await read("edgewise.yaml");
    const tolerate = async (path: string, until: string) =>
      write(
        "edgewise.yaml",
        `${config}\ndrift: {tolerate: [{address: HTTPResponseBackend/a, path: ${path}, until: "${until}", reason: a test}]}\n`,
      );
    behind("PATCH", `/backends/http_response/${id("HTTPResponseBackend")}`, {
      body: "meddled",
      description: "by hand",
    });
    // It is the 14th of November 2023.
    await tolerate("spec.body", "2023-11-14");
    const both = await run("drift", "-o", "json");
    expect(both.exit).toBe(2);
    expect(violations("drift", JSON.parse(both.out))).toEqual([]);
    expect(JSON.parse(both.out)).toMatchObject({
      clean: false,
      findings: [
        { type: "modified", fields: [{ path: "spec.description" }], message: expect.not.stringContaining("spec.body") },
        { type: "tolerated", fields: [{ path: "spec.body" }], message: expect.stringContaining("a test") },
      ],
    });
    await tolerate("spec", "2023-11-14");
    const { exit, out } = await run("drift");
    expect({ exit, out }).toMatchObject({ exit: 0, out: expect.stringContaining("No drift: 1 tolerated.") });
    expect((await run("plan", "--detailed-exitcode")).exit).toBe(2);
    await tolerate("spec", "2023-11-13");
    const over = await run("drift");
    expect(over).toMatchObject({
      exit: 2,
      out: expect.stringMatching(/tolerated\s+until\s+2023-11-13\s+only:\s+a\s+test/u),
    });
    await write("edgewise.yaml", `${config}\ndrift: {tolerate: [{address: HTTPResponseBackend/a, path: spec.body}]}\n`);
    expect((await run("drift")).exit).toBe(1);
  });
});
