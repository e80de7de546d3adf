import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type Stage, backend, edge, stage } from "./stage.ts";

const manifests = ["a", "b", "c"]
  .map(
    (name) => backend(name) + edge(`${name}-edge`, `${name}.example.com:443`, `, backend: {backend: {name: ${name}}}`),
  )
  .join("");

async function lagging(faults: readonly string[], settle = "30s"): Promise<Stage> {
  const on = await stage({ faults });
  await on.write(
    "edgewise.yaml",
    `apiVersion: edgewise/v1\nkind: Config\nstack: demo\nmanifests: [edge/]\napi: {settle: ${settle}}\n`,
  );
  await on.write("edge/all.yaml", manifests);
  return on;
}

function counted({ sandbox }: Stage): readonly number[] {
  const { HTTPResponseBackend, TLSEdge } = sandbox.world().lists;
  return [HTTPResponseBackend.length, TLSEdge.length];
}

describe("lists that lag behind writes", () => {
  it("are looked at again before apply ends, so that the next run has nothing to do", async () => {
    // The sandbox's clock stands still until apply looks again.
    let now = 1_000_000;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
    onTestFinished(() => clock.mockRestore());
    const on = await lagging(["lag=700ms"]);
    const onStderr = (text: string): void => {
      if (text.includes("looking again")) now += 700;
    };
    const first = await on.runWith({ onStderr }, "apply", "-y", "-o", "json").ran;
    expect(first.exit).toBe(0);
    expect(JSON.parse(first.out)).toMatchObject({ outcome: "applied", verified: true, warnings: [] });
    expect(first.err).toContain("looking again for up to 30s");
    const second = await on.run("apply", "-y", "-o", "json");
    expect(JSON.parse(second.out)).toMatchObject({ outcome: "nothing" });
    expect(counted(on)).toEqual([3, 3]);
  });

  it("make no twin of a create whose answer was lost", async () => {
    const on = await lagging(["lag=300ms", "reset=after,method=POST,count=2"]);
    const { exit, out } = await on.run("apply", "-y", "-o", "json");
    expect(exit).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ outcome: "applied", verified: true });
    expect(counted(on)).toEqual([3, 3]);
  });

  it("that lag for longer are reported after api.settle, without the advice to run at once", async () => {
    const on = await lagging(["lag=10m"], "50ms");
    const { out, exit } = await on.run("apply", "-y");
    expect(exit).toBe(3);
    expect(out).toContain("NOT CONVERGED");
    expect(out).toMatch(/Next: Run plan later/u);
    expect(out).not.toMatch(/again/u);
  });

  it("are not waited for after a signal: 3, at once", async () => {
    const on = await lagging(["lag=10m"], "1h");
    const { io, ran } = on.runWith(
      {
        onStderr: (text) => {
          if (text.includes("looking again")) io.signal("SIGTERM");
        },
      },
      "apply",
      "-y",
      "-o",
      "json",
    );
    const { exit, out } = await ran;
    expect(exit).toBe(3);
    expect(JSON.parse(out)).toMatchObject({
      outcome: "applied",
      verified: null,
      interrupted: true,
      warnings: [{ code: "verify-interrupted" }],
    });
  });
});
