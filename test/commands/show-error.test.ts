import { describe, expect, it } from "vitest";
import { commandIo } from "../../src/commands/support/command-io.ts";
import { UnexpectedAfterWrite, showError } from "../../src/commands/support/show-error.ts";
import { EdgewiseError } from "../../src/core/errors.ts";
import { memoryIo } from "./memory-io.ts";

describe("showError", () => {
  it("tells an expected failure with its remedy and ends with its exit code", async () => {
    const io = memoryIo();
    const error = new EdgewiseError("refused", "it is refused", { remedy: "allow it", exit: 4 });
    expect(await showError(error, commandIo(io, {}))).toBe(4);
    expect(io.err()).toBe("error: it is refused\nAllow it\n");
    expect(io.out()).toBe("");
  });

  it("shows the stack of a bug", async () => {
    const io = memoryIo();
    await showError(new TypeError("x"), commandIo(io, {}));
    expect(io.err()).toMatch(/\n {4}at /u);
  });

  it("a bug after something was written is 3, and says so", async () => {
    const io = memoryIo();
    expect(await showError(new UnexpectedAfterWrite(new RangeError("y")), commandIo(io, {}))).toBe(3);
    expect(io.err()).toContain("RangeError: y");
    expect(io.err()).toContain("Something was changed");
  });

  it("nothing in a message acts upon a terminal or a runner", async () => {
    const io = memoryIo();
    await showError(new EdgewiseError("api", "a\u001b[2Jb\n::error::c", { remedy: "::set-env::d" }), commandIo(io, {}));
    expect(io.err()).not.toContain("\u001b");
    expect(io.err()).not.toMatch(/^::/mu);
  });

  it("the key of the environment is masked even in bugs", async () => {
    const io = memoryIo({ env: { EDGEWISE_API_KEY: "key-of-the-environment" } });
    await showError(new Error("header key-of-the-environment is odd"), commandIo(io, {}));
    expect(io.err()).toContain("header (secret) is odd");
  });
});
