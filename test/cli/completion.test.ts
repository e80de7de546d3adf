import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { memoryIo } from "../commands/memory-io.ts";
import { run } from "../../src/commands/run.ts";

async function script(shell: string): Promise<string> {
  const io = memoryIo();
  expect(await run(["completion", shell], io)).toBe(0);
  return io.out();
}

/** The completions that bash offers for the last word of a line. */
function bash(completion: string, ...words: readonly string[]): readonly string[] {
  const line = ["edgewise", ...words].map((word) => `'${word}'`).join(" ");
  const code = `${completion}
COMP_WORDS=(${line}); COMP_CWORD=$((\${#COMP_WORDS[@]}-1)); _edgewise; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync("bash", ["-c", code], { encoding: "utf8", cwd: "/" }).trim().split("\n");
}

describe("completion", () => {
  it("bash completes commands, flags and their values", async () => {
    const completion = await script("bash");
    expect(bash(completion, "p")).toEqual(["plan", "pull", "policy", "ping"]);
    expect(bash(completion, "plan", "--de")).toEqual(["--detailed-exitcode"]);
    expect(bash(completion, "plan", "-o", "")).toEqual(["text", "json", "markdown", "html", "github", "gitlab"]);
    expect(bash(completion, "-x", "drift", "--output", "s")).toEqual(["sarif"]);
    expect(bash(completion, "export", "TLS")).toEqual(["TLSEdge", "TLSCertificate"]);
    expect(bash(completion, "show", "et")).toEqual(["etc"]);
    expect(bash(completion, "serve", "et")).toEqual(["etc"]);
    expect(bash(completion, "serve", "--state", "et")).toEqual(["etc"]);
  });

  it.each(["bash", "zsh", "fish"])("%s knows every command and flag", async (shell) => {
    const completion = await script(shell);
    const help = memoryIo();
    await run(["plan", "--help"], help);
    const flags = [...help.out().matchAll(/--([a-z][a-z-]+)/gu)].map(([, flag]) => flag ?? "");
    expect(flags.length).toBeGreaterThan(20);
    for (const flag of new Set(flags)) if (flag !== "help") expect(completion).toContain(flag);
    for (const command of ["apply", "sandbox", "completion"]) expect(completion).toContain(command);
  });
});
