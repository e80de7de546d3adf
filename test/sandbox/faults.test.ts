import { describe, expect, it, onTestFinished, vi } from "vitest";
import { parseFault } from "../../src/sandbox/fault.ts";
import type { Sandbox } from "../../src/sandbox/sandbox-options.ts";
import { done, ids, sandboxFor, send } from "./support.ts";

const backends = "/backends/http_response";
const backend = { status_code: 200 };

function faulty(...specs: readonly string[]): Promise<Sandbox> {
  return sandboxFor({ faults: specs.map(parseFault) });
}

function stopClock(): (ms: number) => void {
  let now = 1_000_000;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
  onTestFinished(() => clock.mockRestore());
  return (ms) => {
    now += ms;
  };
}

function made(sandbox: Sandbox): number {
  return sandbox.world().lists.HTTPResponseBackend.length;
}

describe("a fault", () => {
  it("answers another status before or after the request is carried out", async () => {
    const before = await faulty("status=503,method=POST,count=1,retry-after=7");
    const refused = await send(before, "POST", backends, backend);
    expect(refused).toMatchObject({ status: 503, body: { status_code: 503, error_code: "ERR_EDGE_299" } });
    expect(refused.headers.get("retry-after")).toBe("7");
    expect(made(before)).toBe(0);
    expect((await send(before, "POST", backends, backend)).status).toBe(201);

    const after = await faulty("status=503,method=POST,when=after");
    expect((await send(after, "POST", backends, backend)).status).toBe(503);
    expect(made(after)).toBe(1);
  });

  it("cuts the connection before or after", async () => {
    for (const [spec, left] of [
      ["reset=before,method=POST", 0],
      ["reset=after,method=POST", 1],
    ] as const) {
      const sandbox = await faulty(spec);
      await expect(send(sandbox, "POST", backends, backend)).rejects.toThrow("fetch failed");
      expect(made(sandbox)).toBe(left);
      expect(sandbox.requests()).toMatchObject({ log: [{ status: null, faults: [spec] }] });
    }
  });

  it("cuts an answer short after the request was carried out", async () => {
    const sandbox = await faulty("truncate,count=2");
    await expect(send(sandbox, "POST", backends, backend)).rejects.toThrow();
    expect(made(sandbox)).toBe(1);
    const [id] = ids(sandbox.world().lists.HTTPResponseBackend);
    await expect(send(sandbox, "DELETE", `${backends}/${id}`)).rejects.toThrow("fetch failed");
    expect(made(sandbox)).toBe(0);
  });

  it("answers HTML as a proxy does", async () => {
    const sandbox = await faulty("html");
    const answer = await send(sandbox, "GET", backends);
    expect(answer.status).toBe(502);
    expect(answer.headers.get("content-type")).toBe("text/html");
    expect(answer.body).toContain("<title>502 Bad Gateway</title>");
  });

  it("limits the rate", async () => {
    stopClock();
    const sandbox = await faulty("rate=3/min,retry-after=auto");
    const statuses: number[] = [];
    for (let n = 0; n < 5; n++) statuses.push((await send(sandbox, "GET", backends)).status);
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    const limited = await send(sandbox, "GET", backends);
    expect(limited.headers.get("retry-after")).toBe("60");
    const silent = await faulty("rate=1/min");
    await send(silent, "GET", backends);
    expect((await send(silent, "GET", backends)).headers.has("retry-after")).toBe(false);
  });

  it("lets lists and reads lag behind writes for a time, and writes never", async () => {
    const pass = stopClock();
    const sandbox = await faulty("lag=200ms");
    const [id = ""] = ids([await done(sandbox, "POST", backends, backend)]);
    expect(ids((await done(sandbox, "GET", backends))["backends"])).toEqual([]);
    expect((await send(sandbox, "GET", `${backends}/${id}`)).status).toBe(404);
    expect(await done(sandbox, "PATCH", `${backends}/${id}`, { status_code: 503 })).toMatchObject({ status_code: 503 });
    pass(200);
    expect(await done(sandbox, "GET", `${backends}/${id}`)).toMatchObject({ status_code: 503 });
    expect(ids((await done(sandbox, "GET", backends))["backends"])).toEqual([id]);
    expect((await send(sandbox, "DELETE", `${backends}/${id}`)).status).toBe(204);
    expect((await send(sandbox, "GET", `${backends}/${id}`)).status).toBe(200);
    expect((await send(sandbox, "DELETE", `${backends}/${id}`)).status).toBe(404);
  });
});
