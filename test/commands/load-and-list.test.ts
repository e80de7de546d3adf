import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { ReadClient } from "../../src/api/client.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import type { JsonObject } from "../../src/json.ts";
import { forListedKinds, listedKinds } from "../../src/kinds/names.ts";
import type { CommandContext } from "../../src/commands/support/command-context.ts";
import { loadAndList } from "../../src/commands/support/load-and-list.ts";
import { createLog, withStatusLine } from "../../src/commands/support/log.ts";
import { type MemoryIo, memoryIo } from "./memory-io.ts";

/** A service that answers when it is told to. */
interface Service extends ReadClient {
  readonly asked: readonly string[];
  /** Sends a page. */
  readonly page: (path: string, items: readonly JsonObject[]) => void;
}

function service(): Service {
  const asked: string[] = [];
  const lists = new Map<string, (items: readonly JsonObject[]) => void>();
  return {
    baseUrl: "http://127.0.0.1",
    asked,
    get: async () => Promise.reject(new Error("no module was asked for")),
    list: async ({ path }, onPage = () => undefined) => {
      asked.push(path);
      lists.set(path, onPage);
      return new Promise(() => undefined);
    },
    page: (path, items) => lists.get(path)?.(items),
    close: async () => undefined,
  };
}

async function contextWith(io: MemoryIo, stack: string | null = "demo"): Promise<CommandContext> {
  const config = await loadConfig({
    cwd: "/",
    env: {},
    flags: { ...(stack === null ? {} : { stack }), file: ["x.yaml"] },
  });
  return { config, at: null, io, log: createLog({}, io), status: withStatusLine(io, false).status };
}

describe("loadAndList", () => {
  it("asks for every list before a manifest is read", async () => {
    const client = service();
    const read: number[] = [];
    const { listing } = await loadAndList(await contextWith(memoryIo()), {}, client, async () => {
      read.push(client.asked.length);
      return [];
    });
    expect(read).toEqual([listedKinds.length]);
    expect(listing).toHaveLength(listedKinds.length);
  });

  it("asks for nothing while it is not known whose resources are listed", async () => {
    const client = service();
    const { listing } = await loadAndList(await contextWith(memoryIo(), null), {}, client, async () => []);
    expect(client.asked).toEqual([]);
    expect(listing).toBeUndefined();
  });

  it("prepares pages that come before the manifests, those that come after, and none once it was stopped", async () => {
    const client = service();
    const wires = ["early", "late", "last"].map((id) => ({ id, status_code: 200 }));
    const send = (index: number): void => client.page("/backends/http_response", wires.slice(index, index + 1));
    const { ahead } = await loadAndList(await contextWith(memoryIo()), {}, client, async () => {
      send(0);
      return [];
    });
    const growing = ahead?.compared.forms.growing;
    const none = forListedKinds(() => []);
    /** The shortest list that begins with all that was indexed. */
    const indexed = (): number =>
      [0, 1, 2, 3].findIndex((count) => growing?.begins({ ...none, HTTPResponseBackend: wires.slice(0, count) }));
    send(1);
    await expect.poll(indexed).toBe(2);
    send(2);
    ahead?.stop();
    for (let turn = 0; turn < 5; turn += 1) await setImmediate();
    expect(indexed()).toBe(2);
  });
});
