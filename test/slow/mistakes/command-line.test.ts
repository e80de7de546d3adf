import { describe, expect, it } from "vitest";
import { run } from "../../../src/commands/run.ts";
import { memoryIo } from "../../commands/memory-io.ts";
import type { Stage } from "../../commands/stage.ts";
import {
  argumentMistakes,
  bareMistakes,
  commandMistakes,
  configurationMistakes,
  optionMistakes,
  planFileMistakes,
  serviceMistakes,
} from "./command-line-mistakes.ts";
import { type Mistake, expectTable, make, normal, nothingHere, project, typed } from "./run-command-line.ts";

const groups: readonly (readonly [name: string, mistakes: readonly Mistake[], place: () => Promise<Stage>])[] = [
  ["commands", commandMistakes, project],
  ["options", optionMistakes, project],
  ["arguments", argumentMistakes, project],
  ["bare", bareMistakes, nothingHere],
  ["configuration", configurationMistakes, project],
  ["service", serviceMistakes, project],
  ["plan-files", planFileMistakes, project],
];

describe("mistakes on the command line", () => {
  it.each(groups)("%s: what is printed, and the exit code", async (name, mistakes, place) => {
    const sections: string[] = [];
    for (const mistake of mistakes) {
      const at = await place();
      const { exit, out, err } = await make(mistake, at);
      const line = typed(mistake, (text) => normal(text, at));
      expect({ line, exit, hasMessage: err.length + out.length > 0 }).toEqual({
        line,
        exit: mistake.exit,
        hasMessage: true,
      });
      expect(`${out}${err}`, line).not.toContain("hunter2");
      expect(err, line).not.toMatch(/this is a bug|\bundefined\b|\[object/u);
      const stdout = out === "" ? "" : `--- stdout\n${normal(out, at)}`;
      sections.push(`$ ${line}\n${normal(err, at)}${stdout}[exit ${exit}]\n`);
    }
    expectTable(name, sections.join("\n"));
  });

  it.each(groups.flatMap(([, mistakes]) => mistakes.filter(({ instead }) => instead !== undefined)))(
    "$args: the remedy works",
    async (mistake) => {
      const at = await project();
      const { err } = await make(mistake, at);
      const instead = mistake.instead ?? [];
      expect(normal(err, at)).toContain(instead.slice(1).join(" "));
      const { exit } = await at.run(...instead);
      expect(exit).not.toBe(1);
      expect((await make(mistake, at)).exit).toBe(mistake.exit);
    },
  );

  it("are JSON lines with --log-format json, in whichever way it is given", async () => {
    for (const format of [["--log-format", "json"], ["--log-format=json"]]) {
      const io = memoryIo();
      expect(await run(["plan", "--target", "TLSEdge/api", ...format], io)).toBe(1);
      expect(JSON.parse(io.err())).toMatchObject({
        level: "error",
        code: "usage",
        message: 'unknown option "--target" for plan',
        remedy: "`edgewise plan --help` lists the options.",
      });
    }
  });
});
