import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { root } from "../../repository/source-files.ts";

const read = (name: string): string => readFileSync(join(root, "examples/serve", name), "utf8");
const unit = read("edgewise.service");

const settings = new Map<string, string[]>();
let section = "";
for (const line of unit.split("\n")) {
  section = /^\[(\w+)\]$/.exec(line)?.[1] ?? section;
  const [, key, value = ""] = /^(\w+)=(.*)$/.exec(line) ?? [];
  if (key !== undefined) settings.set(`${section}.${key}`, [...(settings.get(`${section}.${key}`) ?? []), value]);
}
const valueOf = (key: string): string => settings.get(key)?.join("\n") ?? "";

describe("examples/serve/edgewise.service", () => {
  it("is a unit that systemd takes without a word, and that is exposed little", ({ skip }) => {
    skip(spawnSync("systemd-analyze", ["--version"]).status !== 0, "systemd is not installed");
    const directory = mkdtempSync(join(tmpdir(), "edgewise-unit-"));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const file = join(directory, "edgewise.service");
    writeFileSync(file, unit.replace("/usr/local/bin/edgewise", process.execPath));
    const analyze = (...args: readonly string[]) => spawnSync("systemd-analyze", [...args, file], { encoding: "utf8" });
    expect(analyze("verify", "--man=no")).toMatchObject({ status: 0, stdout: "", stderr: "" });
    expect(analyze("security", "--offline=yes", "--no-pager", "--threshold=20")).toMatchObject({ status: 0 });
  });

  it("loads exactly the keys that the fleet file names", () => {
    const loaded = valueOf("Service.LoadCredential")
      .split("\n")
      .map((each) => /^([\w-]+):\/etc\/edgewise\/credentials\/\1$/.exec(each)?.[1]);
    const named = [...read("fleet.yaml").matchAll(/\/run\/credentials\/edgewise\.service\/([\w-]+)/g)];
    expect(new Set(loaded)).toEqual(new Set(named.map(([, name]) => name)));
  });
});
