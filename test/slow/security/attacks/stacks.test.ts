import { describe, expect, it } from "vitest";
import { cli, temporary } from "../../../support/cli.ts";

const apiKey = "ak_9fQ2zX7mK4vT8bN1cR6wL3pJ5hD0sG";

/** Does something as soon as the program listens for what nobody caught. */
const later = (what: string): string =>
  `--import=data:text/javascript,${encodeURIComponent(`const key = process.env.EDGEWISE_API_KEY;
const timer = setInterval(() => {
  if (process.listenerCount("uncaughtException") === 0) return;
  clearInterval(timer);
  ${what}
}, 5);`)}`;

describe("a bug, a package or Node itself writes the API key: it is masked", () => {
  it.each([
    ["the end of the key in a rejection", 'Promise.reject(new TypeError("bug " + key.slice(-16)))'],
    ["a stack", 'const e = new Error("bug " + key); e.stack = "bug at " + key; throw e'],
    ["a warning", 'process.emitWarning("bug " + key); setTimeout(() => process.exit(1), 100)'],
  ])("%s", async (_, what) => {
    const cwd = await temporary();
    const env = { EDGEWISE_API_KEY: apiKey, NODE_OPTIONS: later(what) };
    const { out, err } = await cli(["schema", "TLSEdge"], { cwd, env });
    expect(err).toContain("bug");
    expect(err).toContain("(secret)");
    expect(out + err).not.toMatch(/ak_9fQ2|cR6wL3pJ5hD0sG/u);
  });
});
