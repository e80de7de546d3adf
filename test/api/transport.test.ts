import { Agent } from "undici";
import { describe, expect, it } from "vitest";
import { createTransport } from "../../src/api/transport.ts";

describe("a transport", () => {
  it("sends no method that it was not built for, and does not even connect", async () => {
    const dispatcher = new Agent();
    const asked: string[] = [];
    dispatcher.dispatch = (options) => {
      asked.push(options.method);
      throw new Error("sent");
    };
    const transport = createTransport({
      dispatcher,
      methods: new Set(["GET"]),
      signal: new AbortController().signal,
      maxBytes: 1,
    });
    const request = { url: new URL("http://127.0.0.1:1/x"), headers: {}, body: null, timeoutMs: 1000 };
    for (const method of ["POST", "PUT", "PATCH", "DELETE"] as const) {
      await expect(transport({ ...request, method })).rejects.toThrow(`must not send ${method}`);
    }
    expect(asked).toEqual([]);
    await transport({ ...request, method: "GET" });
    expect(asked).toEqual(["GET"]);
  });
});
