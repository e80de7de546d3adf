import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { delayWasmTierUp } from "../../src/commands/support/node-version.ts";

describe("putting off what V8 compiles a second time", () => {
  it("names a flag that this version of V8 has, and is silent on others", () => {
    // A flag that does not exist would be told on stderr of every command.
    const flags: string[] = [];
    delayWasmTierUp(process.versions.v8, (flag) => flags.push(flag));
    expect(flags).toHaveLength(process.versions.v8.startsWith("11.") ? 1 : 0);
    const v8 = execFileSync(process.execPath, [...flags, "-p", "process.versions.v8"], { encoding: "utf8" });
    expect(v8.trim()).toBe(process.versions.v8);
    delayWasmTierUp("99.1", (flag) => expect.fail(flag));
  });
});
