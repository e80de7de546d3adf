import { didYouMean } from "../diagnostics/suggest.js";
import { misuse } from "../core/errors.js";
import { isAddress, kindNames } from "../kinds/names.js";
import { type Explanation, explain } from "../schema/explain-field.js";
import { schemaName } from "../schema/schema-files.js";
import { cut, wrap } from "../core/text.js";
import { type Palette, palette } from "../report/styles.js";
import type { CommandIo } from "./support/command-io.js";
import { isColored, writeResult } from "./support/output.js";
import { type DefineCommand, schemaArgument } from "./support/command-options.js";

export const define: DefineCommand = (command, run) =>
  command
    .addArgument(schemaArgument("<path>", "KIND, or KIND.field.field"))
    .description("Shows the documentation of a kind or of one of its fields.")
    .shared([], "file")
    .examples([["edgewise explain TLSEdge.tls_termination.min_version", "one field"]])
    .action(run(explainPath));

async function explainPath(io: CommandIo, path: string): Promise<number> {
  const steps = path.replaceAll(/\[(\d+|\*)?\]/g, "").split(".");
  const [asked = "", ...fields] = steps.filter((step) => step !== "");
  const name = schemaName(asked);
  if (name === null) throw noSuchKind(path, asked);
  const found = explain(name, fields);
  const width = Math.max(40, Math.min(io.columns ?? 100, 100));
  await writeResult(explanationText(found, palette(isColored(io)), width), io);
  return 0;
}

function noSuchKind(path: string, asked: string): Error {
  if (isAddress(path))
    return misuse(`${path} is an address`, `\`edgewise explain ${path.slice(0, path.indexOf("/"))}\` shows its kind.`);
  const near = didYouMean(asked, [...kindNames, "Config", "Fleet"]);
  const known = `Available kinds: ${kindNames.join(", ")}; and Config and Fleet.`;
  return misuse(`there is no kind ${JSON.stringify(cut(asked, 100))}`, near === null ? known : `${near} ${known}`);
}

function explanationText(explanation: Explanation, paint: Palette, width: number): string {
  const { path, title, description, facts, members, examples } = explanation;
  const prose = title === path || path.endsWith(`.${title}`) ? description : `${title}. ${description}`;
  const blocks: (readonly string[])[] = [[paint.bold(path)], wrap(prose, width, "", "")];
  if (facts.length > 0)
    blocks.push(
      facts.flatMap(([label, text]) => {
        const [first = "", ...rest] = wrap(text, width - 12, "", "");
        return [`  ${paint.dim(label.padEnd(10))}${first}`, ...rest.map((line) => " ".repeat(12) + line)];
      }),
    );
  if (examples.length > 0) blocks.push([paint.bold("Examples"), ...examples.map((example) => `  ${example}`)]);
  const lines = members.flatMap((member) => [
    `  ${paint.bold(member.name)}${member.required ? "*" : ""}  ${paint.dim(member.type)}`,
    ...wrap(member.description, width, "      ", "      "),
  ]);
  if (lines.length > 0) blocks.push([paint.bold("Members") + paint.dim(" (* is required)"), ...lines]);
  return blocks.map((block) => block.join("\n")).join("\n\n");
}
