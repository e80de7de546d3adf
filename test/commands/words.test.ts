import { describe, expect, it } from "vitest";
import { backend, edge, stage, type Stage } from "./stage.ts";

const terminating = (version: string) => `, tls_termination: {min_version: '${version}'}`;
const orphaned = (name: string) =>
  backend(name).replace(`metadata: {name: ${name}}`, `metadata: {name: ${name}}\nlifecycle: {deletion: orphan}`);

async function everyAction(): Promise<Stage> {
  const made = await stage();
  const { id } = made.behind("POST", "/backends/http_response", { status_code: 503 });
  const authorities = ", mutual_tls: {certificate_authorities: [{id: ca_1}]}";
  await made.write(
    "edge/all.yaml",
    edge("api", "a.example.com:443", `${terminating("1.2")}${authorities}`) +
      edge("www", "w.example.com:443", terminating("1.2")) +
      orphaned("kept") +
      backend("down"),
  );
  await made.run("apply", "-y");
  await made.write(
    "edge/all.yaml",
    edge("api", "a.example.com:443", terminating("1.2")) +
      edge("www", "w.example.com:443", terminating("1.3")) +
      backend("found", "status_code: 503", `, id: ${String(id)}`) +
      backend("down", "status_code: 500"),
  );
  return made;
}

describe("what an operation does", () => {
  it("is a member of results, journals and logs in JSON, beside the kind", async () => {
    const { run, read } = await everyAction();
    const { out, err } = await run("apply", "-y", "-o", "json", "--journal", "journal.jsonl", "--log-format", "json");
    const expected = [
      ["HTTPResponseBackend/down", "patch", "update", undefined],
      ["HTTPResponseBackend/found", "patch", "adopt", undefined],
      ["HTTPResponseBackend/kept", "patch", "orphan", undefined],
      ["TLSEdge/api", "module-delete", "remove-module", "mutual_tls"],
      ["TLSEdge/www", "module-put", "set-module", "tls_termination"],
    ];
    const partsOf = (entries: readonly { [member: string]: unknown }[]) =>
      entries
        .map(({ address, kind, action, module }) => [address, kind, action, module])
        .toSorted((a, b) => String(a[0]).localeCompare(String(b[0])));
    expect(partsOf(JSON.parse(out).operations)).toEqual(expected);
    const eventsOf = (lines: string, event: string) =>
      lines
        .split("\n")
        .filter((line) => line.startsWith("{"))
        .map((line): { [member: string]: unknown } => JSON.parse(line))
        .filter((each) => each["event"] === event);
    for (const lines of [err, await read("journal.jsonl")]) {
      expect(partsOf(eventsOf(lines, "operation-started"))).toEqual(expected);
      expect(partsOf(eventsOf(lines, "operation-ended"))).toEqual(expected);
    }
  });
});

describe("the order of a plan", () => {
  it("says what an edge takes back when the other one fails to take it", async () => {
    const { run, write } = await stage();
    const both = (vault: string, api: string) =>
      edge("vault", vault).replace(`["${vault}"]`, `[${vault}]`) + edge("api", api).replace(`["${api}"]`, `[${api}]`);
    await write("edge/all.yaml", both('"keep.example.com:443", "a.example.com:443"', '"b.example.com:443"'));
    await run("apply", "-y");
    await write("edge/all.yaml", both('"keep.example.com:443"', '"b.example.com:443", "a.example.com:443"'));
    const { out } = await run("plan");
    expect(out).toContain("op-1  update TLSEdge/vault: releases what op-2 takes; takes it back if op-2 fails");
    expect(out).toMatch(/op-2 {2}update TLSEdge\/api: waits for op-1: TLSEdge\/vault releases a.example.com:443/u);
    expect((await run("plan", "-o", "markdown")).out).toContain("takes it back if op-2 fails");
    expect((await run("plan", "-o", "html")).out).toContain("takes it back if op-2 fails");
    // Drift applies nothing: no operation and no gap in service is spoken of.
    const drift = await run("drift");
    expect(drift.exit).toBe(2);
    expect(drift.out).not.toMatch(/op-\d|traffic-gap/u);
  });
});
