import { describe, expect, it, onTestFinished } from "vitest";
import { json, startServer } from "../../../api/support/server.ts";
import { backend, stage, type Stage } from "../../../commands/stage.ts";

/** A stage whose file says everything, so that nothing is missing when a variable is empty. */
async function complete(): Promise<Stage> {
  const on = await stage();
  await on.write("edge/all.yaml", backend("x"));
  await on.write(
    "edgewise.yaml",
    `apiVersion: edgewise/v1\nkind: Config\nstack: demo\nmanifests: [edge/]\napi: {baseUrl: "${on.sandbox.baseUrl}"}\n`,
  );
  delete on.env["EDGEWISE_BASE_URL"];
  return on;
}

const offline: readonly (readonly string[])[] = [["validate"], ["graph"]];
const online: readonly (readonly string[])[] = [
  ["plan"],
  ["apply", "-y"],
  ["drift"],
  ["export", "--all"],
  ["destroy", "-y"],
  ["ping"],
  ["list"],
  ["pull", "-y"],
  ["unlock", "-y"],
];
const variables = [
  "EDGEWISE_BASE_URL",
  "EDGEWISE_STACK",
  "EDGEWISE_ENVIRONMENT",
  "EDGEWISE_VERSION_HEADER",
  "EDGEWISE_CONFIG",
];

describe("A CI variable is missing, and a pull request's configuration decides where the API key is sent → the empty variable is an error and nothing is sent", () => {
  it.each([
    ["empty", ""],
    ["blanks", "  "],
    ["a line break", "\n"],
  ])("%s", async (_, empty) => {
    const elsewhere = await startServer((__, response) => json(response, 200, {}));
    onTestFinished(() => elsewhere.close());
    const on = await stage();
    await on.write("edge/all.yaml", backend("x"));
    await on.write(
      "edgewise.yaml",
      `apiVersion: edgewise/v1\nkind: Config\nstack: demo\nmanifests: [edge/]\napi: {baseUrl: "${elsewhere.baseUrl}"}\n`,
    );
    on.env["EDGEWISE_BASE_URL"] = empty;
    const { exit, err } = await on.run("plan");
    expect(elsewhere.seen).toEqual([]);
    expect(exit).toBe(1);
    expect(err).toContain("EDGEWISE_BASE_URL is set but empty");
  });
});

describe("A CI variable is missing, and a command runs with another stack, environment or configuration → the command fails and names the variable", () => {
  it.each(variables.flatMap((variable) => [...offline, ...online].map((args) => [variable, args] as const)))(
    "%s, %j",
    async (variable, args) => {
      const on = await complete();
      on.env[variable] = "";
      const { exit, out, err } = await on.run(...args);
      expect({ exit, out }).toEqual({ exit: 1, out: "" });
      expect(err).toContain(`${variable} is set but empty`);
      expect(err).toContain("In CI");
      expect(on.sandbox.requests().total).toBe(0);
    },
  );

  it.each([
    ["EDGEWISE_BASE_URL", "--base-url", "http://127.0.0.1:9"],
    ["EDGEWISE_STACK", "--stack", "other"],
    ["EDGEWISE_VERSION_HEADER", "--version-header", "Other"],
    ["EDGEWISE_CONFIG", "--config", "edgewise.yaml"],
  ])("%s, although %s overrides it", async (variable, flag, value) => {
    const on = await complete();
    on.env[variable] = "";
    const { exit, err } = await on.run("plan", flag, value);
    expect(exit).toBe(1);
    expect(err).toContain(`${variable} is set but empty`);
  });
});

describe("The secret with the API key is missing → commands that contact the service fail and name the variable", () => {
  it.each(online.flatMap((args) => ["", " \n"].map((empty) => [args, empty] as const)))(
    "%j, %j",
    async (args, empty) => {
      const on = await complete();
      on.env["EDGEWISE_API_KEY"] = empty;
      const { exit, err } = await on.run(...args);
      expect(exit).toBe(1);
      expect(err).toContain("EDGEWISE_API_KEY is set but empty");
      expect(on.sandbox.requests().total).toBe(0);
    },
  );

  it("beside a key file, too", async () => {
    const on = await complete();
    await on.write("key", on.sandbox.apiKey);
    on.env["EDGEWISE_API_KEY"] = "";
    expect((await on.run("plan", "--api-key-file", "key")).err).toContain("EDGEWISE_API_KEY is set but empty");
  });
});

describe("A shell variable is not set, and a flag or argument is empty → the command fails and names it", () => {
  it.each([
    ["--base-url", ["plan", "--base-url", ""]],
    ["--base-url", ["plan", "--base-url="]],
    ["--stack", ["plan", "--stack", ""]],
    ["--environment", ["plan", "-e", ""]],
    ["--config", ["plan", "-c", ""]],
    ["--version-header", ["plan", "--version-header", ""]],
    ["--file", ["plan", "-f", ""]],
    ["--file", ["plan", "-f", "edge", "-f", " "]],
    ["--api-key-file", ["plan", "--api-key-file", ""]],
    ["--base", ["plan", "--base", ""]],
    ["--out", ["plan", "--out", ""]],
    ["--output-file", ["plan", "--output-file", ""]],
    ["--journal", ["apply", "-y", "--journal", ""]],
    ["--out-dir", ["export", "--out-dir", ""]],
    ["--data", ["sandbox", "--data", ""]],
    ["--ref", ["plan", "--ref", ""]],
    ["--changed-since", ["stacks", "--changed-since", ""]],
    ["--state", ["serve", "fleet.yaml", "--state", ""]],
    ["--listen", ["serve", "fleet.yaml", "--listen", ""]],
    ["--output-file", ["list", "--output-file", ""]],
    ["the argument fleetfile", ["serve", ""]],
    ["--server", ["approve", "prod", "--server", ""]],
    ["--token-file", ["approve", "prod", "--server", "http://127.0.0.1:1", "--token-file", ""]],
    ["--key", ["approve", "prod", "--server", "http://127.0.0.1:1", "--key", ""]],
    ["--as", ["approve", "prod", "--server", "http://127.0.0.1:1", "--as", ""]],
    ["--remote", ["approve", "prod", "--server", "http://127.0.0.1:1", "--remote", ""]],
    ["the argument stack", ["approve", "", "--server", "http://127.0.0.1:1"]],
    ["the argument planfile", ["apply", "-y", ""]],
    ["the argument planfile", ["show", ""]],
    ["the argument dir", ["init", ""]],
  ])("%s in %j", async (name, args) => {
    const on = await complete();
    const { exit, out, err } = await on.run(...args);
    expect({ exit, out }).toEqual({ exit: 1, out: "" });
    expect(err).toContain(`error: ${name} is empty`);
    expect(on.sandbox.requests().total).toBe(0);
  });
});

describe("variables that may be empty", () => {
  it("a manifest's own, a --var, and those that mean nothing when they are empty", async () => {
    const on = await complete();
    await on.write("edge/all.yaml", backend("x", 'status_code: 200, body: "<${{ env.TEXT }}${{ vars.text }}>"'));
    for (const name of [
      "EDGEWISE_VAR_TEXT",
      "HTTPS_PROXY",
      "NO_PROXY",
      "NODE_EXTRA_CA_CERTS",
      "NO_COLOR",
      "FORCE_COLOR",
    ])
      on.env[name] = "";
    const { exit, out } = await on.run("plan", "-o", "json", "--var", "text=");
    expect(exit).toBe(0);
    expect(out).toContain('"body": "<>"');
  });

  it("the key, where the service is not contacted", async () => {
    const on = await complete();
    on.env["EDGEWISE_API_KEY"] = "";
    for (const args of offline) expect((await on.run(...args)).exit).toBe(0);
  });

  it("all of them, for commands that read none", async () => {
    const on = await complete();
    for (const name of variables) on.env[name] = "";
    expect((await on.run("schema", "TLSEdge")).exit).toBe(0);
    expect((await on.run("explain", "TLSEdge")).exit).toBe(0);
    expect((await on.run("init", "new")).exit).toBe(0);
  });
});
