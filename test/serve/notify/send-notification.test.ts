import { type RequestListener, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { Redactor } from "../../../src/redact.ts";
import { stackNotification } from "../../../src/serve/notify/notification.ts";
import { createSender } from "../../../src/serve/notify/notifier.ts";
import { violations } from "../../schemas/all-schemas.ts";
import { stackOf } from "../http/fake-view.ts";

const sender = createSender({ env: {}, redactor: new Redactor() });
const { record } = stackOf("prod", { state: "failed", message: "the service answers 500" });
const notification = stackNotification(record, "failed", 1);
const never = new AbortController().signal;

async function receiver(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

describe("a notification", () => {
  it("is posted as JSON, as its schema says", async () => {
    let got = "";
    let type: string | undefined;
    const url = await receiver((request, response) => {
      type = `${request.method} ${request.headers["content-type"]}`;
      request.on("data", (piece: Buffer) => (got += piece.toString()));
      request.on("end", () => response.writeHead(204).end());
    });
    expect(await sender(url, notification, never)).toEqual({ ok: true });
    expect(type).toBe("POST application/json");
    expect(JSON.parse(got)).toEqual(notification);
    expect(violations("serve-notification", JSON.parse(got))).toEqual([]);
    expect(notification.text).toBe("prod: failed: the service answers 500");
    const told = { ...record, status: { ...record.status, message: "<!channel> <https://evil.example|click>" } };
    expect(stackNotification(told, "failed", 1).text).toBe("prod: failed: ‹!channel> ‹https://evil.example|click>");
  });

  it.each([
    [500, true],

    [429, true],

    [400, false],

    [302, false],
  ])("that is answered with %d may be tried again: %s", async (status, passes) => {
    let asked = 0;
    const url = await receiver((_, response) => {
      asked += 1;
      response.writeHead(status, { Location: "/elsewhere" }).end("a secret of theirs");
    });
    const outcome = await sender(url, notification, never);
    expect(outcome).toMatchObject({
      ok: false,
      passes,
      message: expect.stringContaining(String(status)),
    });
    expect(JSON.stringify(outcome)).not.toContain("theirs");
    expect(asked).toBe(1);
  });

  it("ends with the loop, when nobody answers", async () => {
    const url = await receiver(() => undefined);
    const stop = new AbortController();
    const sent = sender(url, notification, stop.signal);
    setTimeout(() => stop.abort(), 50);
    expect(await sent).toMatchObject({ ok: false });
  });

  it.each([
    "http://example.com/hook",

    "file:///etc/passwd",

    "https://me:pw@example.com/",
  ])("never goes to %s", async (url) => {
    const outcome = await sender(url, notification, never);
    expect(outcome).toMatchObject({ ok: false, passes: false });
    expect(JSON.stringify(outcome)).not.toContain("example");
  });
});
