import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporary } from "../../support/cli.ts";
import { onTerminal } from "./terminal.ts";
import { hashPlan } from "../../../src/plan/canonical-json.ts";
import { renderPlanJson } from "../../../src/report/json-reports.ts";
import { change, field, planOf } from "../../report/sample-plan.ts";

const key = "key-that-no-pager-may-see";

/** A saved plan of many changes, and a pager that records what it got. */
async function paging({ changes = 40 }: { readonly changes?: number } = {}) {
  const dir = await temporary();
  await mkdir(join(dir, "work/.git"), { recursive: true });
  await mkdir(join(dir, "bin"));
  const plan = planOf(
    Array.from({ length: changes }, (_, index) =>
      change(`TLSEdge/edge-${index}`, "update", [field("spec.description", "a", `b ${index}`)]),
    ),
  );
  await writeFile(join(dir, "work/plan.json"), renderPlanJson({ ...plan, hash: hashPlan(plan) }));
  const program = async (path: string, code: string): Promise<string> => {
    const file = join(dir, path);
    await mkdir(join(file, ".."), { recursive: true });
    await writeFile(file, `#!/bin/sh\n${code}\n`);
    await chmod(file, 0o755);
    return file;
  };
  const recording = `printf '%s\\n' "$@" > ${dir}/args; env > ${dir}/env; cat > ${dir}/text; echo PAGED`;
  const pager = await program("bin/my pager", recording);
  const show = (env: { readonly [name: string]: string } = {}, ...more: readonly string[]) =>
    onTerminal(["show", "plan.json", ...more], {
      cwd: join(dir, "work"),
      env: { EDGEWISE_API_KEY: key, HOOK_SECRET: "also-secret", EDGEWISE_PAGER: `"${pager}" -a 'b c'`, ...env },
    });
  return { dir, program, recording, show, read: (name: string) => readFile(join(dir, name), "utf8") };
}

describe("the pager", () => {
  it("gets a long text with its colours, its arguments, and no secret", async () => {
    const { read, show } = await paging();
    const { exit, text } = await show();
    expect([exit, text]).toEqual([0, "PAGED\n"]);
    expect(await read("args")).toBe("-a\nb c\n");
    const paged = await read("text");
    expect(paged).toContain("TLSEdge/edge-39");
    expect(paged).toContain("\u001b[");
    const env = await read("env");
    expect(env).toMatch(/^LESS=FRX$/m);
    expect(env).toMatch(/^TERM=xterm$/m);
    expect(env).not.toMatch(/^EDGEWISE|HOOK|also-secret|key-that/m);
  });

  it.each([
    ["--no-pager", {}, ["--no-pager"]],
    ["an empty variable", { EDGEWISE_PAGER: "" }, []],
    ["a pipeline", { CI: "true" }, []],
    ["a pager that does not exist", { EDGEWISE_PAGER: "no-such-pager -x" }, []],
    ["a pager that fails", { EDGEWISE_PAGER: "false" }, []],
    ["another format", {}, ["-o", "markdown"]],
  ])("isn't there with %s: all is shown", async (_, env, flags) => {
    const { show } = await paging();
    const { exit, text } = await show(env, ...flags);
    expect(exit).toBe(0);
    expect(text).not.toContain("PAGED");
    expect(text).not.toMatch(/error|ENOENT/);
    expect(text).toContain("TLSEdge/edge-39");
  });

  it("is no program of the repository, whatever the PATH says", async () => {
    const { dir, program, recording, show } = await paging();
    await program("work/bin/own-pager", recording);
    await program("bin/own-pager", "cat > /dev/null; echo TRUSTED");
    const trusted = `${join(dir, "bin")}:${process.env["PATH"] ?? ""}`;
    for (const path of [join(dir, "work/bin"), "bin", "./bin"]) {
      const { text } = await show({ PATH: `${path}:${trusted}`, EDGEWISE_PAGER: "own-pager" });
      expect(text).toBe("TRUSTED\n");
    }
    expect((await show({ EDGEWISE_PAGER: join(dir, "work/bin/own-pager") })).text).not.toContain("PAGED");
    expect((await show({ EDGEWISE_PAGER: "./bin/own-pager" })).text).not.toContain("PAGED");
  });

  it("may end before the end of the text", async () => {
    const { program, show } = await paging({ changes: 3000 });
    const first = await program("bin/first", "head -n 1");
    const { exit, text } = await show({ EDGEWISE_PAGER: first });
    expect(exit).toBe(0);
    expect(text.split("\n")).toHaveLength(2);
  });

  it("gets Ctrl-C for itself", async () => {
    const { dir, program } = await paging();
    const waiting = await program(
      "bin/waiting",
      "trap 'echo GOT; exit 0' INT; cat > /dev/null; echo READY; while :; do sleep 0.1; done",
    );
    let typed = false;
    const { exit, text } = await onTerminal(["show", "plan.json"], {
      cwd: join(dir, "work"),
      env: { PAGER: waiting },
      onOutput: (shown, { type }) => {
        if (typed || !shown.includes("READY")) return;
        typed = true;
        type("\u0003");
      },
    });
    expect(text).toContain("GOT");
    expect(exit).toBe(0);
  });
});
