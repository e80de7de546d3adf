import { describe, expect, it } from "vitest";
import { repository } from "../../commands/ref-repository.ts";
import { backend } from "../../commands/stage.ts";
import { project } from "./project.ts";

/** Mistakes that need something before them: a saved plan, a repository, another program. */
describe("mistakes after other commands", () => {
  it("refuse a plan that was edited, and one that is stale", async () => {
    const at = await project();
    await at.run("plan", "--out", "p.json");
    await at.write("edited.json", (await at.read("p.json")).replaceAll("503", "500"));
    for (const command of [
      ["show", "edited.json"],
      ["apply", "edited.json", "-y"],
    ]) {
      expect(await at.run(...command)).toMatchObject({
        exit: 4,
        out: "",
        err: "error: edited.json can't be used: it was changed after it was saved: its checksum does not match\n`edgewise plan --out edited.json` saves a new one.\n",
      });
    }
    await at.write("edge/backend.yaml", backend("maintenance", "status_code: 504"));
    const { exit, out } = await at.run("apply", "p.json", "-y");
    expect(exit).toBe(4);
    expect(out).toContain("! stale-plan");
    expect(out).toContain("To do: plan again, review the new plan and apply that");
    expect(at.writes()).toBe(0);
    // What they advise works.
    expect((await at.run("plan", "--out", "edited.json")).exit).toBe(0);
    expect((await at.run("apply", "edited.json", "-y")).exit).toBe(0);
  });

  it("name the branch that was meant, and a way to fetch one that works in a clone of a single branch", async () => {
    const at = await repository();
    await at.write("edge/backend.yaml", backend("maintenance"));
    at.commit("first");
    at.git("branch", "feature");
    const unknown = (name: string): string => `error: git does not know a commit or branch "${name}"\n`;
    const said = async (cwd: string, ...args: readonly string[]): Promise<string> => {
      const { exit, err, out } = await at.runWith({ cwd, env: at.env }, "plan", ...args).ran;
      expect({ exit, out }).toEqual({ exit: 1, out: "" });
      return err;
    };
    for (const flag of ["--base", "--ref"]) {
      expect(await said(at.dir, flag, "mian")).toBe(
        `${unknown("mian")}Did you mean main? \`git branch --all\` lists the branches, and there is no remote to fetch from.\n`,
      );
    }
    at.git("clone", "-q", "--depth", "1", "--branch", "main", `file://${at.dir}`, "clone");
    const clone = `${at.dir}/clone`;
    const fetch = "git fetch origin feature:refs/remotes/origin/feature";
    expect(await said(clone, "--base", "origin/feature")).toBe(
      `${unknown("origin/feature")}Fetch it first: \`${fetch}\`.\n`,
    );
    expect(await said(clone, "--base", "feature")).toBe(
      `${unknown("feature")}Fetch it first: a branch with \`${fetch}\`, then name it origin/feature; a tag with \`git fetch origin tag feature\`.\n`,
    );
    at.git("-C", clone, ...fetch.split(" ").slice(1));
    expect(await said(clone, "--base", "feature")).toBe(`${unknown("feature")}Did you mean origin/feature?\n`);
    expect((await at.runWith({ cwd: clone, env: at.env }, "plan", "--base", "origin/feature").ran).exit).toBe(0);
  });

  it("name the address that --allow meant", async () => {
    const at = await project();
    const spec = "{type: api, enforced: true, ip_policies: [{id: ipp_office}]}";
    const manifest = `apiVersion: edgewise/v1\nkind: IPRestriction\nmetadata: {name: office}\nspec: ${spec}\n`;
    await at.write("edge/office.yaml", manifest);
    const refused = await at.run("plan", "--allow", "IPRestriction/ofice");
    expect(refused.err).toContain(
      "warning: --allow IPRestriction/ofice lifts nothing. Did you mean IPRestriction/office?\n",
    );
    expect((await at.run("apply", "-y", "--allow", "IPRestriction/ofice")).exit).toBe(4);
    const { err, exit } = await at.run("apply", "-y", "--allow", "IPRestriction/office");
    expect(err).not.toContain("lifts nothing");
    expect(exit).toBe(0);
  });
});
