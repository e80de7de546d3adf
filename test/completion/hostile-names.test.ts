import fc from "fast-check";
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bashReply } from "../../src/completion/shell-reply.ts";
import { splitLine } from "../../src/completion/shell-words.ts";
import { runs } from "../support/runs.ts";
import { described, directoryOf, offered, reply } from "./offered.ts";

const edge = (name: string): string => `kind: TLSEdge\nmetadata: {name: ${JSON.stringify(name)}}\n`;

/** Characters that a terminal acts upon, that nobody can see, or that end a line of the reply. */
const bad = ["\n", "\r", "\t", "\0", "\u001b[2J", "\u0007", "\u009b", "\u202e", "\u200b", "\u2028", "\ufeff"];

describe("names in a stranger's files", () => {
  it("are offered only when manifests may have them", async () => {
    const names = [
      "api",
      "$(touch x)",
      "`x`",
      "a b",
      "-y",
      "--auto-approve",
      "a\nb",
      "A",
      "..",
      "a/b",
      "",
      "é",
      "x".repeat(101),
    ];
    const dir = await directoryOf({
      "edgewise.yaml": "kind: Config\nmanifests: [.]\n",
      "a.yaml": names.map(edge).join("---\n"),
      "b.yaml":
        "kind: '$(x)'\nmetadata: {name: b}\n---\nkind: [TLSEdge]\nmetadata: {name: c}\n---\nkind: TLSEdge\nmetadata: {name: 1}\n",
    });
    expect(await offered(dir, "plan --only ")).toEqual(["TLSEdge/api"]);
  });

  it("with characters that a terminal acts upon are left out, and so are those that look like flags", async () => {
    const odd = [...bad.map((each) => `x${each}y`), "-y", "--auto-approve", ""];
    const labels = JSON.stringify(Object.fromEntries([...odd, "good"].map((name) => [name, `v${bad.join("")}`])));
    const stacks = [...odd, "good"].map((name, index) => `  e${index}: {stack: ${JSON.stringify(name)}}\n`).join("");
    const dir = await directoryOf({
      "edgewise.yaml": `kind: Config\nmanifests: [a.yaml]\nvariables: ${labels}\nenvironments:\n${stacks}`,
      "a.yaml": `kind: TLSEdge\nmetadata: {name: api, labels: ${labels}}\n`,
    });
    for (const shell of ["bash", "zsh", "fish"]) {
      for (const flag of ["--stack", "-l", "--var"]) {
        const words = shell === "bash" ? ["", `edgewise plan ${flag} `] : ["edgewise", "plan", flag, ""];
        const [, ...lines] = await reply(dir, [shell, ...words]);
        expect([shell, flag, lines.map((line) => /^[+-]?(good)/u.exec(line)?.[1])]).toEqual([shell, flag, ["good"]]);
      }
    }
    expect(await offered(dir, "plan -l good=")).toEqual([]);
    // A description is made visible.
    const environments = await described(dir, "plan -e ");
    expect(environments).toHaveLength(odd.length + 1);
    expect(environments.join("")).not.toMatch(/(?!\t)\p{C}/u);
  });

  it("of files and branches are held to the same", async () => {
    const dir = await directoryOf({
      "--auto-approve.json": "{}",
      "-y": "{}",
      "a\nb.json": "{}",
      "\u001b[2J": "",
      "ok.json": "{}",
    });
    expect(await offered(dir, "apply ")).toEqual(["ok.json"]);
    execFileSync("git", ["init", "-q", "-b", "main"], { cwd: dir });
    writeFileSync(
      join(dir, ".git/packed-refs"),
      `${"0".repeat(40)} refs/heads/--x\n${"0".repeat(40)} refs/tags/\u001b[2J\n`,
    );
    expect(await offered(dir, "plan --base ")).toEqual(["HEAD"]);
  });

  it("are read only inside of the root, and not from hidden files", async () => {
    const outside = await directoryOf({
      "secret/out.yaml": edge("outside"),
      "config.yaml": "environments: {outside: {}}",
    });
    const dir = await directoryOf({
      "edgewise.yaml": "kind: Config\nmanifests: [edge/, ../, /etc, .hidden, edge/link.yaml]\n",
      "edge/in.yaml": edge("inside"),
      "edge/.dot.yaml": edge("dot"),
      ".hidden/a.yaml": edge("hidden"),
    });
    symlinkSync(join(outside, "secret"), join(dir, "edge/linked"));
    symlinkSync(join(outside, "secret/out.yaml"), join(dir, "edge/link.yaml"));
    symlinkSync("../edge", join(dir, "edge/loop"));
    symlinkSync("/dev/zero", join(dir, "edge/zero.yaml"));
    execFileSync("mkfifo", [join(dir, "edge/pipe.yaml")]);
    mkdirSync(join(dir, "edge/directory.yaml"));
    expect(await offered(dir, "plan --only ")).toEqual(["TLSEdge/inside"]);
    rmSync(join(dir, "edgewise.yaml"));
    symlinkSync(join(outside, "config.yaml"), join(dir, "edgewise.yaml"));
    expect(await offered(dir, "plan -e ")).toEqual([]);
  });

  it("are read from what is sound, whatever else is broken", async () => {
    const dir = await directoryOf({
      "edgewise.yaml": "policies: [\nmanifests: [edge/]\nenvironments:\n  prod: {}\nguards: {allow: [}\n",
      "edge/a.yaml": `kind: TLSEdge\nmetadata:\n  name: api\nspec:\n  hostports: [\n---\n${edge("other")}`,
      "edge/b.yaml": "kind: [\n",
      "edge/c.yaml": Buffer.from([0xff, 0xfe, 0x00]).toString("latin1"),
      "edge/d.yaml": `%YAML 1.2\n---\n"kind": "TLSEdge"\r\n'metadata':\r\n  name: windows # comment\r\n`,
      "edge/e.yaml": '{"kind": "TLSEdge",\n "metadata": {"name": "json"}}\n',
      "edge/f.yaml": "kind: TLSEdge\nmetadata: &m\n  ? name\n  : odd\n",
      "edge/g.yaml": "",
      "edge/h.yaml": "---\n---\n...\n",
    });
    writeFileSync(join(dir, "edge/i.yaml"), Buffer.from([0xff, 0xfe, 0x00]));
    const names = ["api", "other", "windows", "json", "odd"].map((name) => `TLSEdge/${name}`);
    expect(await offered(dir, "plan --only ")).toEqual(names);
    expect(await offered(dir, "plan -e ")).toEqual(["prod"]);
  });
});

describe("what bash inserts", () => {
  it("is one word, and the same text, whatever the value is", () => {
    const texts = fc.string({
      unit: fc.constantFrom(..."ab é$`\"'\\(){}[]<>|&;!*?~#=:@,/.-+%^"),
      minLength: 1,
      maxLength: 12,
    });
    const values = fc.sample(texts, runs(300)).filter((value) => !value.startsWith("-"));
    const replies = values.map((value) => {
      const { current } = splitLine("edgewise plan --stack ");
      const completion = { sort: "values" as const, skip: 0, values: [{ value, description: "" }] };
      return bashReply(completion, { current, replaced: "" }).split("\n")[1] ?? "";
    });
    const code = `for line in "$@"; do eval "set -- $line"; printf '%s\\0' "$#" "$1"; done`;
    const out = execFileSync("bash", ["-c", code, "bash", ...replies], { encoding: "utf8", cwd: "/" });
    expect(out.split("\0").slice(0, -1)).toEqual(values.flatMap((value) => ["1", value]));
  });

  it("has a beginning that can be completed further, whatever several values have in common", () => {
    const texts = fc.string({ unit: fc.constantFrom(..."ab '\\$;"), minLength: 1, maxLength: 5 });
    const sets = fc.sample(fc.array(texts, { minLength: 2, maxLength: 3 }), runs(300));
    for (const set of sets) {
      const completion = { sort: "values" as const, skip: 0, values: set.map((value) => ({ value, description: "" })) };
      const words = bashReply(completion, { current: splitLine("x ").current, replaced: "" })
        .split("\n")
        .slice(1, -1);
      // What readline inserts.
      let common = words[0] ?? "";
      while (!words.every((word) => word.startsWith(common))) common = common.slice(0, -1);
      const { current } = splitLine(`x ${common}`);
      if (common.endsWith(" ") && current.quote === "") continue;
      expect([set, set.every((value) => value.startsWith(current.text))]).toEqual([set, true]);
      expect([set, /(^|[^\\])(\\\\)*\\$/u.test(common) && current.quote === ""]).toEqual([set, false]);
    }
  });
});
