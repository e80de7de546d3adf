import { Agent, Dispatcher } from "undici";
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

  it("lets a failure pass the responses that come with it, because what they lead to may have to be stopped", async () => {
    const handlers: Dispatcher.DispatchHandler[] = [];
    class Holding extends Dispatcher {
      override dispatch(_: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
        handlers.push(handler);
        return true;
      }
    }
    const transport = createTransport({
      dispatcher: new Holding(),
      methods: new Set(["POST"]),
      signal: new AbortController().signal,
      maxBytes: 100,
    });
    const statuses = [201, 202, 400, 203];
    const handedOn: number[] = [];
    const request = { method: "POST", url: new URL("http://127.0.0.1:1/x"), headers: {}, body: "" } as const;
    const ended = statuses.map(async () => {
      const end = await transport({ ...request, timeoutMs: 60_000 });
      if (end.type === "answer") handedOn.push(end.status);
    });
    await new Promise(setImmediate);
    // All responses come in one turn of the event loop.
    for (const [place, handler] of handlers.entries()) {
      const controller = {} as Dispatcher.DispatchController;
      handler.onRequestStart?.(controller, {});
      handler.onResponseStart?.(controller, statuses[place] ?? 0, {});
      handler.onResponseEnd?.(controller, {});
    }
    await Promise.all(ended);
    expect(handedOn).toEqual([400, 201, 202, 203]);
  });
});
