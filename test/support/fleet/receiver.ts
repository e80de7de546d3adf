import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Told {
  readonly id: string;
  readonly event: string;
  readonly stack: string | null;
  readonly text: string;
}

export interface Receiver {
  readonly url: string;
  readonly told: readonly Told[];
  close(): Promise<void>;
}

export const receiverSecret = "hush-nobody-may-see-this";

export async function openReceiver(): Promise<Receiver> {
  const told: Told[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (piece: string) => (text += piece));
    request.on("end", () => {
      told.push(JSON.parse(text) as Told);
      response.writeHead(200).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  return {
    // Every part of its address is masked in logs, and other addresses begin with a number.
    url: `http://localhost:${(server.address() as AddressInfo).port}/${receiverSecret}`,
    told,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** What was told wrongly, as sentences: an end of what never began. What was sent again is counted by {@link sentAgain}. */
export function toldWrongly(told: readonly Told[]): readonly string[] {
  const wrong: string[] = [];
  const failing = new Set<string | null>();
  for (const { event, stack } of uniqueById(told)) {
    if (event === "failed") failing.add(stack);
    if (event === "recovered" && !failing.delete(stack)) wrong.push(`${stack}: told twice that it recovered`);
  }
  return wrong;
}

export function sentAgain(told: readonly Told[]): number {
  return told.length - uniqueById(told).length;
}

function uniqueById(told: readonly Told[]): readonly Told[] {
  return [...new Map(told.toReversed().map((one) => [one.id, one])).values()].toReversed();
}
