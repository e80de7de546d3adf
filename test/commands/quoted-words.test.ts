import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { run } from "../../src/commands/run.ts";
import { memoryIo } from "./memory-io.ts";
import { runs } from "../support/runs.ts";

async function output(args: readonly string[]) {
  const io = memoryIo({ cwd: "/nowhere", env: {} });
  const exit = await run(args, io);
  return { exit, text: io.err() + io.out() };
}

describe("words of the command line in errors", () => {
  it("begin no line of their own", async () => {
    const word = fc.stringMatching(/^[a-z]{1,5}[\r\n\u2028\u001b\u009b]error: [a-z]{1,9}$/u);
    await fc.assert(
      fc.asyncProperty(word, fc.constantFrom("show", "-c", "ping", "serve"), async (hostile, place) => {
        const { exit, text } = await output(place === "-c" ? ["plan", "-c", hostile] : [place, hostile]);
        expect(exit).toBe(1);
        expect(text.match(/^error: /gmu)).toHaveLength(1);
        expect(text).not.toMatch(/[\r\u2028\u001b\u009b]/u);
      }),
      runs(40),
    );
  });
});
