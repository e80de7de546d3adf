import { didYouMean } from "../diagnostics/suggest.js";
import { EdgewiseError } from "../core/errors.js";
import { isAddress, kindNames } from "../kinds/names.js";
import { type Explanation, type MemberLine, type NoSuchField, explain } from "../schema/explain-field.js";
import { schemaName } from "../schema/schema-files.js";
import { cut, wrap } from "../core/text.js";
import { type Palette, palette } from "../report/styles.js";
import type { CommandIo } from "./support/command-io.js";
import { isColored, writeResult } from "./support/output.js";
import { type DefineCommand, addExamples, addSharedOptions, schemaArgument } from "./support/command-options.js";

/** Lines of prose longer than this are hard to read, however wide the terminal. */
const widest = 100;

export const define: DefineCommand = (command, run) => {
  command.addArgument(schemaArgument("<path>", "KIND, or KIND.field.field"));
  command.description("Shows the documentation of a kind or of one of its fields.");
  addSharedOptions(command, [], "file");
  addExamples(command, [["edgewise explain TLSEdge.tls_termination.min_version", "one field"]]);
  command.action(run(explainPath));
};

async function explainPath(io: CommandIo, path: string): Promise<number> {
  const [asked = "", ...fields] = path
    .replaceAll(/\[(\d+|\*)?\]/g, "")
    .split(".")
    .filter((step) => step !== "");
  const name = schemaName(asked) ?? refuseName(path, asked);
  const found = explain(name, fields);
  if ("missing" in found) throw noSuchField(found);
  const width = Math.max(40, Math.min(io.columns ?? widest, widest));
  await writeResult(explanationText(found, palette(isColored(io)), width), io);
  return 0;
}

/** Refuses the name of something that is no kind: of a resource, or of a field that a kind has. */
function refuseName(path: string, asked: string): never {
  if (isAddress(path)) {
    throw new EdgewiseError("usage", `${path} is the address of a resource, and explain takes kinds and fields`, {
      remedy: `\`edgewise explain ${path.slice(0, path.indexOf("/"))}\` shows the kind.`,
    });
  }
  const near = didYouMean(asked, [...kindNames, "Config", "Fleet"]);
  throw new EdgewiseError("usage", `there is no kind ${JSON.stringify(cut(asked, 100))}`, {
    remedy: `${near === null ? "" : `${near} `}Available kinds: ${kindNames.join(", ")}; and Config and Fleet.`,
  });
}

function noSuchField({ known, missing, suggestion, readOnly, members }: NoSuchField): EdgewiseError {
  if (suggestion === null && readOnly) {
    return new EdgewiseError("usage", `${known}.${missing} is read-only: the service sets it`, {
      remedy: `Available fields: ${members.join(", ")}.`,
    });
  }
  const list = members.length === 0 ? "It has no fields." : `Available fields: ${members.join(", ")}.`;
  return new EdgewiseError("usage", `${known} has no field ${JSON.stringify(missing)}`, {
    remedy: suggestion === null ? list : `Did you mean ${suggestion}? ${list}`,
  });
}

/** Lines of at most `width` columns where words allow. */
function explanationText(explanation: Explanation, paint: Palette, width: number): string {
  const { path, title, description, facts, members, examples } = explanation;
  const blocks: (readonly string[])[] = [[paint.bold(path)]];
  blocks.push(
    wrap(title === path || path.endsWith(`.${title}`) ? description : `${title}. ${description}`, width, "", ""),
  );
  if (facts.length > 0) blocks.push(facts.flatMap((fact) => factLines(fact, paint, width)));
  if (examples.length > 0) blocks.push([paint.bold("Examples"), ...examples.map((example) => `  ${example}`)]);
  if (members.length > 0) {
    blocks.push([
      paint.bold("Members") + paint.dim(" (* is required)"),
      ...members.flatMap((member) => memberLines(member, paint, width)),
    ]);
  }
  return blocks.map((lines) => lines.join("\n")).join("\n\n");
}

const labelWidth = 10;

function factLines([label, text]: readonly [string, string], paint: Palette, width: number): readonly string[] {
  const [first = "", ...rest] = wrap(text, width - labelWidth - 2, "", "");
  const indent = " ".repeat(labelWidth + 2);
  return [`  ${paint.dim(label.padEnd(labelWidth))}${first}`, ...rest.map((line) => indent + line)];
}

function memberLines(
  { name, required, type, description }: MemberLine,
  paint: Palette,
  width: number,
): readonly string[] {
  return [
    `  ${paint.bold(name)}${required ? "*" : ""}  ${paint.dim(type)}`,
    ...wrap(description, width, "      ", "      "),
  ];
}
