import { describe, expect, it } from "vitest";
import { backend, stage, type Stage } from "../../../commands/stage.ts";

/** A stage whose file says everything, so that nothing is missing when a variable is empty. */
async function complete(): Promise<Stage> {
  const on = await stage();
  await on.write("edge/all.yaml", backend("x"));
  const api = `api: {baseUrl: "${on.sandbox.baseUrl}"}\n`;
  await on.write("edgewise.yaml", `apiVersion: edgewise/v1\nkind: Config\nstack: demo\nmanifests: [edge/]\n${api}`);
  delete on.env["EDGEWISE_BASE_URL"];
  return on;
}

const offline = [["validate"], ["graph"]];
const online = [["plan"], ["apply", "-y"], ["drift"], ["export", "--all"], ["destroy", "-y"], ["ping"], ["list"]];
const variables = ["BASE_URL", "STACK", "ENVIRONMENT", "VERSION_HEADER", "CONFIG"].map((name) => `EDGEWISE_${name}`);

async function expectRefused(on: Stage, args: readonly string[], words: string): Promise<void> {
  const { exit, out, err } = await on.run(...args);
  expect({ exit, out, err }).toEqual({ exit: 1, out: "", err: expect.stringContaining(words) });
  expect(on.sandbox.requests().total).toBe(0);
}

describe("a CI variable is missing: the command names it, and nothing is sent", () => {
  it.each(variables)("%s, in every command", async (variable) => {
    for (const empty of ["", " \n"]) {
      const on = await complete();
      on.env[variable] = empty;
      for (const args of [...offline, ...online]) await expectRefused(on, args, `${variable} is set but empty`);
      await expectRefused(on, ["plan", "--stack", "other"], `${variable} is set but empty`);
    }
  });

  it("the API key, where the service is contacted, also beside a key file", async () => {
    const on = await complete();
    on.env["EDGEWISE_API_KEY"] = "";
    await on.write("key", on.sandbox.apiKey);
    for (const args of [...online, ["plan", "--api-key-file", "key"]])
      await expectRefused(on, args, "EDGEWISE_API_KEY is set but empty");
    for (const args of offline) expect((await on.run(...args)).exit).toBe(0);
  });

  it("but a manifest's own may be empty, and all of them for commands that read none", async () => {
    const on = await complete();
    await on.write("edge/all.yaml", backend("x", 'status_code: 200, body: "<${{ env.TEXT }}${{ vars.text }}>"'));
    for (const name of ["EDGEWISE_VAR_TEXT", "HTTPS_PROXY", "NO_PROXY", "NO_COLOR"]) on.env[name] = "";
    expect((await on.run("plan", "-o", "json", "--var", "text=")).out).toContain('"body": "<>"');
    for (const name of variables) on.env[name] = "";
    expect((await on.run("schema", "TLSEdge")).exit).toBe(0);
  });
});

describe("a shell variable is not set: the command names the flag or argument that is empty", () => {
  it.each([
    ["--base-url", ["plan", "--base-url="]],
    ["--file", ["plan", "-f", "edge", "-f", " "]],
    ["the argument planfile", ["apply", "-y", ""]],
  ])("%s in %j", async (name, args) => {
    await expectRefused(await complete(), args, `error: ${name} is empty`);
  });
});
