import type { IncomingMessage } from "node:http";

/** Whoever sends more than this is cut off. */
const mostRead = 32 * 1024 * 1024;

/**
 * Reads the body of a request to its end and keeps none of it, even when it is too long: a client that is still sending
 * would not see the answer.
 * @param take gets each piece, and how many bytes came before it
 * @returns how many bytes it has; null when the client went away, or does not stop
 */
export async function readBody(
  request: IncomingMessage,
  take: (piece: Buffer, before: number) => void = () => {},
): Promise<number | null> {
  if (request.readableEnded) return 0;
  return await new Promise<number | null>((resolve) => {
    let size = 0;
    request.on("data", (piece: Buffer) => {
      take(piece, size);
      size += piece.length;
      if (size > mostRead) resolve(null);
    });
    request.once("end", () => resolve(size));
    // Also when the client goes away: after the end it changes nothing.
    request.once("close", () => resolve(null));
    if (request.destroyed) resolve(null);
  });
}
