import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { delayOptimization } from "../../src/commands/support/node-version.ts";

describe("putting off what V8 compiles a second time", () => {
  it("names only flags that this version of V8 has, and is silent on others", () => {
    // A flag that does not exist would be told on stderr of every command.
    const flags: string[] = [];
    delayOptimization(process.versions.v8, (flag) => flags.push(flag));
    const known = ["11.3.", "12.4.", "13.6.", "14.6."].some((version) => process.versions.v8.startsWith(version));
    expect(flags.length > 0).toBe(known);
    const v8 = execFileSync(process.execPath, [...flags, "-p", "process.versions.v8"], { encoding: "utf8" });
    expect(v8.trim()).toBe(process.versions.v8);
    delayOptimization("99.1", (flag) => expect.fail(flag));
    delayOptimization("11.30", (flag) => expect.fail(flag));
  });
});
