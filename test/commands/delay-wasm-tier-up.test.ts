import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { delayWasmTierUp } from "../../src/commands/support/delay-wasm-tier-up.ts";

describe("putting off what V8 compiles a second time", () => {
  it("names a flag that this version of V8 has, and is silent on others", () => {
    // A flag that does not exist would be told on stderr of every command.
    const flags = process.versions.v8.startsWith("11.") ? ["--wasm-tiering-budget=100000000"] : [];
    const v8 = execFileSync(process.execPath, [...flags, "-p", "process.versions.v8"], { encoding: "utf8" });
    expect(v8.trim()).toBe(process.versions.v8);
    expect(() => delayWasmTierUp(process.versions.v8)).not.toThrow();
    expect(() => delayWasmTierUp("99.1")).not.toThrow();
  });
});
