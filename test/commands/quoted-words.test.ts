import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { run } from "../../src/commands/run.ts";
import { memoryIo } from "./memory-io.ts";
import { runs } from "../support/runs.ts";

const keys = [
  "ak_2YdPq8ZrT7mVxKc4LbNw6HsJ",
  "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N1",
];

/** Command lines with a key where a user may put one by mistake. */
const places: readonly (readonly string[])[] = [
  ["KEY"],
  ["ping", "KEY"],
  ["plan", "-o", "KEY"],
  ["plan", "--var", "KEY"],
  ["plan", "-c", "KEY"],
  ["plan", "--base-url", "https://KEY@api.example.com"],
  ["apply", "KEY"],
  ["show", "KEY"],
  ["approve", "prod", "--server", "KEY"],
  ["init", "one", "KEY"],
];

async function output(args: readonly string[], env: { readonly [name: string]: string } = {}) {
  const io = memoryIo({ cwd: "/nowhere", env });
  const exit = await run(args, io);
  return { exit, text: io.err() + io.out() };
}

describe("words of the command line in errors", () => {
  it.each(places)("don't repeat a key: %s %s %s", async (...words) => {
    for (const key of keys) {
      const args = words.flatMap((word) => (word === undefined ? [] : [word.replace("KEY", () => key)]));
      const { exit, text } = await output(args);
      expect({ exit, repeated: text.includes(key) }, text).toEqual({ exit: 1, repeated: false });
    }
  });

  it.each(["EDGEWISE_CONFIG", "EDGEWISE_BASE_URL"])("don't repeat a key from %s", async (name) => {
    const { exit, text } = await output(["plan", "--stack", "demo"], { [name]: keys[0] ?? "" });
    expect(exit).toBe(1);
    expect(text).not.toContain(keys[0]);
  });

  it("say what stands for the key, also as JSON", async () => {
    expect((await output(["show", keys[0] ?? ""])).text).toContain("put it into EDGEWISE_API_KEY");
    const { text } = await output(["plan", "-o", keys[0] ?? "", "--log-format", "json"]);
    expect(JSON.parse(text)).toMatchObject({ message: '"(secret)" is not a valid value of --output' });
  });

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
