import { onTestFinished } from "vitest";
import type { Client, ClientOptions, TraceEvent } from "../../../src/api/client.ts";
import { createClient } from "../../../src/api/create-client.ts";
import { Secret } from "../../../src/core/secret.ts";
import { type FakeClock, fakeClock } from "./fake-clock.ts";

/** Holds every character that some spelling writes in another way. */
export const apiKey = "key_3fQz/9+wX==~\"Lk7&<canary>'%41";

export interface TestClient {
  readonly client: Client;
  readonly clock: FakeClock;
  readonly events: readonly TraceEvent[];
}

/** A client on a clock that takes no time, whose random number is always one half; closed when the test ends. */
export function testClient(baseUrl: string, options: Partial<ClientOptions> = {}): TestClient {
  const clock = fakeClock();
  const events: TraceEvent[] = [];
  const client = createClient({
    baseUrl,
    apiKey: Secret.of(apiKey, "env EDGEWISE_API_KEY"),
    versionHeader: "Service-Version",
    concurrency: 8,
    timeoutMs: 5000,
    requestsPerMinute: null,
    env: {},
    clock,
    random: () => 0.5,
    trace: (event) => events.push(event),
    ...options,
  });
  onTestFinished(() => client.close());
  return { client, clock, events };
}

export async function thrownBy(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}
