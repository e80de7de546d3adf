import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { checkedOutCommit } from "../../scripts/checked-out-commit.mjs";
import { version } from "../../src/core/version.ts";
import { cli, cliPath } from "../support/cli.ts";
import { root } from "../repository/source-files.ts";
import { violations } from "../schemas/all-schemas.ts";
import { stage } from "./stage.ts";

describe("version", () => {
  it("prints version, commit, Node and platform, as text and as JSON that matches its schema", async () => {
    const at = await stage();
    const json = await at.run("version", "-o", "json");
    const platform = `${process.platform}-${process.arch}`;
    expect(JSON.parse(json.out)).toEqual({
      format: "edgewise.version/v1",
      version,
      // The sources themselves were not built.
      commit: null,
      modified: null,
      node: process.versions.node,
      platform,
    });
    expect(violations("version", JSON.parse(json.out))).toEqual([]);
    expect(await at.run("version")).toEqual({
      exit: 0,
      out: `edgewise ${version}\ncommit   unknown\nNode     ${process.versions.node}\nplatform ${platform}\n`,
      err: "",
    });
  });

  it("names in the built program the commit that was checked out, or none", async () => {
    const { commit } = JSON.parse((await cli(["version", "-o", "json"])).out) as { readonly commit: string | null };
    const head = checkedOutCommit(root);
    if (head === null) expect(commit).toBeNull();
    // Commits that were made since the build have it as their ancestor.
    else expect(spawnSync("git", ["merge-base", "--is-ancestor", commit ?? "", head], { cwd: root }).status).toBe(0);
    expect(cliPath).toContain(root);
  });
});
