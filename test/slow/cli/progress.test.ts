import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sandboxProcess, temporary } from "../../support/cli.ts";
import { type TerminalOptions, onTerminal } from "./terminal.ts";

async function applying(
  options: Partial<TerminalOptions> = {},
  flags: readonly string[] = [],
  { count = 16, latency = "600ms" } = {},
) {
  const cwd = await temporary();
  const sandbox = await sandboxProcess("--latency", latency);
  await mkdir(join(cwd, "edge"));
  await writeFile(
    join(cwd, "edgewise.yaml"),
    "apiVersion: edgewise/v1\nkind: Config\nstack: demo\nmanifests: [edge/]\n",
  );
  const manifest = (name: number): string =>
    `apiVersion: edgewise/v1\nkind: HTTPResponseBackend\nmetadata: {name: b${name}}\nspec: {status_code: 503}\n`;
  const all = Array.from({ length: count }, (_, index) => manifest(index)).join("---\n");
  await writeFile(join(cwd, "edge/all.yaml"), all);
  const shown = await onTerminal(["apply", "--auto-approve", "--no-verify", ...flags], {
    cwd,
    ...options,
    env: { ...sandbox, ...options.env },
  });
  return { ...shown, cwd };
}

/** What is on the screen in the end, without colours: a line that was erased is not. */
const screen = (text: string): string => text.replace(/[^\n]*\r\u001b\[K/g, "").replace(/\u001b\[\d+m/g, "");

describe("the progress of an apply", () => {
  it("is a bar below the lines of what was done, which is gone in the end", async () => {
    const { exit, text } = await applying({ columns: 90 });
    expect(exit).toBe(0);
    expect(text).toMatch(/Applying \[#+-+\] \d+\/16, 8 running/);
    expect(screen(text)).not.toContain("Applying");
    expect(screen(text).match(/^op-\d+ {2}created HTTPResponseBackend\/b\d+ /gm)).toHaveLength(16);
    // The bar says what is running.
    expect(text).not.toContain("creating");
    expect(screen(text)).toContain("Apply: 16 done.");
  });

  it("has no bar with --quiet", async () => {
    const { exit, text } = await applying({}, ["--quiet"]);
    expect(exit).toBe(0);
    expect(text).not.toContain("Applying");
    expect(text).not.toContain("\u001b[K");
  });

  it("leaves a clean line behind when it is interrupted", async () => {
    let typed = false;
    const onOutput: TerminalOptions["onOutput"] = (shown, { type }) => {
      if (typed || !shown.includes("Applying")) return;
      typed = true;
      type("\u0003");
    };
    // So many that it is not done before it is interrupted, however late that comes.
    const { exit, text } = await applying({ columns: 90, onOutput }, [], { count: 200 });
    expect(exit).toBe(3);
    expect(screen(text)).not.toContain("Applying");
    expect(screen(text)).toMatch(/^warning: SIGINT: no more requests are started/m);
    expect(screen(text)).toMatch(/Apply: \d+ done, \d+ skipped\.\n$/);
  });
});
