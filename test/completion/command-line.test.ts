import { describe, expect, it } from "vitest";
import { type DescribedCommand, readCommandLine } from "../../src/completion/command-line.ts";

const option = (long: string, short: string | null, value: string | null) => ({
  long,
  short,
  description: "",
  value,
  choices: [],
  repeatable: false,
});

const command: DescribedCommand = {
  name: "plan",
  summary: "",
  options: [
    option("--only", null, "address"),
    option("--output", "-o", "format"),
    option("--quiet", "-q", null),
    option("--verbose", "-v", null),
  ],
  arguments: [
    { name: "first", choices: [], variadic: false },
    { name: "rest", choices: [], variadic: true },
  ],
};

/** What stands at the cursor, in one line. */
function at(line: string, of: DescribedCommand = command): string {
  const words = line.split(" ");
  const { at: found } = readCommandLine(words.slice(0, -1), words.at(-1) ?? "", of);
  if (found.sort === "value") return `value of ${found.option.long} after ${found.skip}`;
  return found.sort === "argument" ? `argument ${found.argument.name}` : found.sort;
}

describe("readCommandLine", () => {
  it.each([
    ["--only ", "value of --only after 0"],
    ["--only TLS", "value of --only after 0"],
    ["--only=TLS", "value of --only after 7"],
    ["--only=", "value of --only after 7"],
    ["--only --only", "value of --only after 0"],
    ["--only A --only ", "value of --only after 0"],
    ["-o ", "value of --output after 0"],
    ["-o", "flag"],
    ["-oj", "value of --output after 2"],
    ["-qo ", "value of --output after 0"],
    ["-qoj", "value of --output after 3"],
    ["-q", "flag"],
    ["--", "flag"],
    ["-- -", "argument first"],
    ["-- --only ", "argument rest"],
    ["--quiet=x", "nothing"],
    ["--no-such ", "argument first"],
    ["--no-such=x", "nothing"],
    ["", "argument first"],
    ["a ", "argument rest"],
    ["a b c ", "argument rest"],
    ["--only A ", "argument first"],
    ["- ", "argument rest"],
  ])("%j: %s", (line, expected) => {
    expect(at(line)).toBe(expected);
  });

  it("offers flags after a command without arguments, and nothing after the last argument", () => {
    expect(at("", { ...command, arguments: [] })).toBe("flag");
    expect(at("a ", { ...command, arguments: command.arguments.slice(0, 1) })).toBe("nothing");
  });

  it("collects what is given", () => {
    const { arguments: args, given } = readCommandLine(
      ["a", "--only=B", "-qojson", "--only", "C", "--", "--quiet"],
      "",
      command,
    );
    expect(args).toEqual(["a", "--quiet"]);
    expect([...given]).toEqual([
      ["--only", ["B", "C"]],
      ["--quiet", [""]],
      ["--output", ["json"]],
    ]);
  });
});
