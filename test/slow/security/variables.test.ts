import { describe, expect, it } from "vitest";
import { backend, stage, type Stage } from "../../commands/stage.ts";

const nasty: readonly string[] = [
  "a: b",
  "{x: 1}",
  "[1, 2]",
  '"}, "status_code": 500, "x": "',
  "# comment",
  "line\nbreak: yes\n---\nkind: TLSEdge",
  "${{ vars.other }}",
  "$${{ vars.other }}",
  "}} ${{ env.HOME }}",
  "&a *a !!binary",
  "null",
  "true",
  "0x10",
  "\ttab",
  "' \" \\",
  "__proto__",
];

/** What is sent for the one backend of a stage; the words of the failure otherwise. */
async function bodyOf(on: Stage, ...args: readonly string[]): Promise<unknown> {
  const { exit, out, err } = await on.run("plan", "-o", "json", ...args);
  if (exit !== 0) return err;
  const { operations } = JSON.parse(out) as {
    readonly operations: readonly { readonly body: { readonly body?: unknown } }[];
  };
  return operations.map(({ body }) => body.body)[0];
}

async function withBody(body: string, config = ""): Promise<Stage> {
  const on = await stage();
  await on.write("edge/all.yaml", backend("x", `status_code: 200, body: ${body}`));
  await on.write("edgewise.yaml", `apiVersion: edgewise/v1\nkind: Config\nstack: demo\nmanifests: [edge/]\n${config}`);
  return on;
}

describe("variables are never parsed again", () => {
  it.each(nasty)("%j", async (value) => {
    const on = await withBody('"${{ vars.v }}"');
    expect(await bodyOf(on, "--var", `v=${value}`)).toBe(value);
    const inText = await withBody('"<${{ vars.v }}|${{ env.V }}>"', `variables: {v: ${JSON.stringify(value)}}\n`);
    inText.env["EDGEWISE_VAR_V"] = value;
    expect(await bodyOf(inText)).toBe(`<${value}|${value}>`);
  });

  it("and are not replaced in files", async () => {
    const on = await withBody("{file: page}");
    await on.write("edge/page", "${{ vars.v }} ${{ env.V }}");
    expect(await bodyOf(on, "--var", "v=1")).toBe("${{ vars.v }} ${{ env.V }}");
  });

  it("a literal is written $${{, and ${…} is left alone", async () => {
    const on = await withBody('"$${{ vars.v }} ${v} ${{ vars.v }}"');
    expect(await bodyOf(on, "--var", "v=1")).toBe("${{ vars.v }} ${v} 1");
  });
});

describe("a variable", () => {
  it("that is a whole value keeps its type", async () => {
    const on = await stage();
    const config = (value: string): Promise<void> =>
      on.write(
        "edgewise.yaml",
        `apiVersion: edgewise/v1\nkind: Config\nstack: demo\nmanifests: [edge/]\nvariables: {v: ${value}}\n`,
      );
    await on.write("edge/all.yaml", backend("x", 'status_code: "${{ vars.v }}"'));
    await config("418");
    expect((await on.run("validate")).exit).toBe(0);
    await config('"418"');
    expect((await on.run("validate")).exit).toBe(1);
    await config("418");
    // A value from a flag is text, or a number where only a number is allowed.
    expect((await on.run("validate", "--var", "v=418")).exit).toBe(0);
    expect((await on.run("validate", "--var", "v=4e2")).exit).toBe(1);
    expect((await on.run("validate", "--var", "v=41 8")).exit).toBe(1);
    await on.write("edge/all.yaml", backend("x", 'status_code: "${{ vars.v }}0"'));
    expect((await on.run("validate")).exit).toBe(1);
    await on.write("edge/all.yaml", backend("x", 'status_code: 200, headers: "${{ vars.v }}"'));
    await config("{X-A: b}");
    expect((await on.run("validate")).exit).toBe(0);
  });

  it("without a value is an error at its place", async () => {
    const on = await withBody('"a ${{ vars.regoin }}"', "variables: {region: eu}\n");
    const { exit, out } = await on.run("validate");
    expect(exit).toBe(1);
    expect(out).toMatch(/edge\/all\.yaml:4:32: error .*the variable regoin has no value/u);
    expect(out).toContain("region");
    for (const name of ["constructor", "toString", "__proto__", "hasOwnProperty"]) {
      await on.write("edge/all.yaml", backend("x", `status_code: 200, body: "\${{ vars.${name} }}"`));
      expect((await on.run("validate")).exit, name).toBe(1);
      expect(await bodyOf(on, "--var", `${name}=own`)).toBe("own");
    }
  });

  it("from a flag overrides the environment, which overrides the configuration", async () => {
    const on = await withBody(
      '"${{ vars.v }} ${{ vars.w }}"',
      "variables: {v: base, w: base}\nenvironments:\n  staging: {variables: {v: overlay}}\n  prod: {stack: other}\n",
    );
    expect(await bodyOf(on)).toBe("base base");
    expect(await bodyOf(on, "-e", "staging")).toBe("overlay base");
    expect(await bodyOf(on, "-e", "staging", "--var", "v=flag")).toBe("flag base");
    expect(await bodyOf(on, "--var", "v=one", "--var", "v=two")).toBe("two base");
    expect(await bodyOf(on, "--var", "v=a=b=c")).toBe("a=b=c base");
    on.env["EDGEWISE_ENVIRONMENT"] = "staging";
    expect(await bodyOf(on)).toBe("overlay base");
    expect(await bodyOf(on, "-e", "prod")).toBe("base base");
    const { out } = await on.run("plan", "-o", "json", "-e", "prod");
    expect(JSON.parse(out)).toMatchObject({ stack: "other" });
    const unknown = await on.run("plan", "-e", "stagign");
    expect(unknown).toMatchObject({ exit: 1, out: "" });
    expect(unknown.err).toContain("Did you mean staging?");
  });
});
