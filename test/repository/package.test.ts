import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "./source-files.ts";

const read = (path: string) => readFileSync(join(root, path), "utf8");
const manifest = JSON.parse(read("package.json"));

describe("package", () => {
  it("runs nothing when it is installed, but builds itself in a clone", () => {
    expect(manifest.scripts.prepare).toContain("scripts/prepare.mjs");
    for (const hook of ["preinstall", "install", "postinstall", "prepublish"]) {
      expect(manifest.scripts).not.toHaveProperty(hook);
    }
  });

  it("has its version in the changelog too", () => {
    expect(read("CHANGELOG.md")).toMatch(new RegExp(`^## ${manifest.version.replaceAll(".", "\\.")}\\b`, "m"));
  });

  it("has an executable program and CI run", () => {
    expect(read("dist/bin/edgewise.js").split("\n")[0]).toBe("#!/usr/bin/env node");
    expect(statSync(join(root, "dist/bin/edgewise.js")).mode & 0o111).toBe(0o111);
    expect(statSync(join(root, ".ci/run")).mode & 0o111).toBe(0o111);
  });

  it("has a CI run that bash can read", () => {
    const { status, stderr } = spawnSync("bash", ["-n", join(root, ".ci/run")], { encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  it("has only scripts that point to files that exist", () => {
    const commands: readonly string[] = Object.values(manifest.scripts);
    const files = commands.flatMap((command) =>
      [...command.matchAll(/\bnode ([^-]\S*)/g)].map((match) => match[1] ?? ""),
    );
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });
});
