import { Agent } from "undici";
import { describe, expect, it } from "vitest";
import { createDispatcher } from "../../src/api/create-dispatcher.ts";
import { Redactor } from "../../src/redact.ts";

describe("what sends the requests", () => {
  it("is undici's own agent, although only a part of undici is loaded for it", async () => {
    const base = new URL("http://127.0.0.1:9");
    const made = await createDispatcher({ base, connections: 1, timeoutMs: 1, env: {}, redactor: new Redactor() });
    expect(made).toBeInstanceOf(Agent);
    expect((await import("undici/lib/dispatcher/agent.js")).default).toBe(Agent);
    await made.destroy();
  });
});
