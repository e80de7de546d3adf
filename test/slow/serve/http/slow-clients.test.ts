import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { type Socket, connect } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { fakeFleet, stackOf, startFake } from "../../../serve/http/fake-view.ts";

async function opened(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on("error", () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  return socket;
}

async function nextAccepted(): Promise<Socket> {
  const [message] = await new Promise<readonly unknown[]>((resolve) => {
    const hear = (...heard: readonly unknown[]): void => {
      unsubscribe("net.server.socket", hear);
      resolve(heard);
    };
    subscribe("net.server.socket", hear);
  });
  return (message as { readonly socket: Socket }).socket;
}

async function saidTo(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (piece: Buffer) => (text += piece.toString("latin1")));
  if (!socket.closed) await once(socket, "close");
  return text;
}

const large = () =>
  fakeFleet(Array.from({ length: 10_000 }, (_, index) => stackOf(`s${index}`, { message: "x".repeat(800) })));

describe("slow and hostile clients", () => {
  it("are cut off when they never finish their headers", async () => {
    const { url, ask } = await startFake(fakeFleet(), { limits: { headersMs: 200 } });
    const socket = await opened(url);
    socket.write("GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ");
    const said = saidTo(socket);
    expect((await ask("/healthz")).status).toBe(200);
    expect(await said).toMatch(/^(HTTP\/1\.1 408 |$)/);
  });

  it("are cut off when they never finish a body", async () => {
    const limits = { headersMs: 200, requestMs: 400 };
    const fleet = fakeFleet();
    const { url, ask } = await startFake(fleet, { limits, readHookSecret: async () => "s" });
    const socket = await opened(url);
    socket.write("POST /hooks/a HTTP/1.1\r\nHost: x\r\nX-Gitlab-Token: s\r\nContent-Length: 10\r\n\r\nabc");
    const said = saidTo(socket);
    expect((await ask("/healthz")).status).toBe(200);
    expect(await said).not.toContain("202");
    expect(fleet.hastened).toEqual([]);
  });

  it.each([
    ["read nothing", { idleMs: 1000 }],
    ["do not end", { readMs: 500 }],
  ])("are cut off when they %s", async (_, limits) => {
    const { url } = await startFake(large(), { limits });
    const accepted = nextAccepted();
    const socket = await opened(url);
    socket.pause();
    socket.write("GET /api/stacks HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await once(await accepted, "close");
    const said = await (socket.resume(), saidTo(socket));
    expect(said.startsWith("HTTP/1.1 200 OK")).toBe(true);
    expect(said).not.toContain('"next":null');
  });

  it("keep others out for no longer than headers may take", async () => {
    const { url, ask } = await startFake(fakeFleet(), { limits: { connections: 5, headersMs: 300 } });
    await Promise.all(Array.from({ length: 40 }, () => opened(url)));
    const status = () =>
      ask("/healthz").then(
        ({ status }) => status,
        () => 0,
      );
    await expect.poll(status, { timeout: 10_000 }).toBe(200);
  });
});
