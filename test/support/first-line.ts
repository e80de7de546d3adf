import type { Readable } from "node:stream";

/** The first line that a process prints, in however many pieces it comes. What follows can be heard by others. */
export function firstLine(output: Readable): Promise<string> {
  let text = "";
  return new Promise((resolve, reject) => {
    output.on("data", (piece: Buffer | string) => {
      text += String(piece);
      const end = text.indexOf("\n");
      if (end >= 0) resolve(text.slice(0, end));
    });
    output.once("end", () => reject(new Error(`it ended without a line: ${text}`)));
  });
}
