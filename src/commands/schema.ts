import { basename, dirname, join, resolve } from "node:path";
import { EdgewiseError, misuse } from "../core/errors.js";
import { wrap } from "../core/text.js";
import { makeDirectory, writeFile } from "../files/write-file.js";
import { editorSchemaTexts } from "../generated/editor-schemas.js";
import { programDirectory, readThere } from "../init/init-files.js";
import { type Palette, palette } from "../report/styles.js";
import { type Explanation, explain } from "../schema/explain-field.js";
import { bundle, requireSchemaName } from "../schema/schema-files.js";
import type { CommandIo } from "./support/command-io.js";
import { isColored, workplaceOf, writeResult } from "./support/output.js";
import { type Flags, type DefineCommand, schemaArgument } from "./support/command-options.js";

export const define: DefineCommand = (command, run) =>
  command
    .addArgument(schemaArgument("[kind]", "a kind, Config, Fleet, or an output: plan, result, drift, …"))
    .option("--out <dir>", "write or renew the schemas for editors in this directory")
    .shared([], "file")
    .examples([
      ["edgewise schema TLSEdge --output-file tls-edge.schema.json", "for one kind"],
      ["edgewise schema --out .edgewise/schemas", "for editors"],
    ])
    .action(run(schema));

export const defineExplain: DefineCommand = (command, run) =>
  command
    .addArgument(schemaArgument("<path>", "KIND, or KIND.field.field"))
    .shared([], "file")
    .examples([["edgewise explain TLSEdge.tls_termination.min_version", "one field"]])
    .action(run(explainPath));

async function schema(io: CommandIo, asked: string | undefined, flags: Flags) {
  const { out } = flags;
  if (out === undefined) {
    const name = requireSchemaName(asked ?? "manifest");
    await writeResult(JSON.stringify(bundle(name), null, 2), io);
    return 0;
  }
  if (asked !== undefined || io.outputFile !== undefined) {
    const other = asked === undefined ? "--output-file" : JSON.stringify(asked);
    throw misuse(`--out writes all schemas for editors, which excludes ${other}`, "Leave out one of them.");
  }
  await writeEditorSchemas(out, io, (what, path) => io.stdout(`${what.padEnd(7)} ${path}\n`));
  return 0;
}

export type ReportFile = (what: "wrote" | "kept" | "renewed", path: string) => void;

export async function writeEditorSchemas(directory: string, io: CommandIo, report: ReportFile): Promise<void> {
  const full = resolve(io.cwd, directory);
  const files = await Promise.all(
    Object.entries(editorSchemaTexts).map(async ([name, text]) => {
      return { path: join(directory, name), text, there: await readThere(join(full, name)) };
    }),
  );
  const others = files.filter(({ there }) => there?.slice(0, 1000).includes("`edgewise schema --out`") === false);
  if (others.length > 0) {
    const names = others.map(({ path }) => path).join(", ");
    throw new EdgewiseError("io", `nothing was written: edgewise did not write ${names}`, "Name another directory.");
  }
  const place = workplaceOf(io);
  // No tree is made of a mistyped path, but this directory is edgewise's own.
  if (basename(dirname(full)) === programDirectory) makeDirectory(dirname(directory), place);
  makeDirectory(directory, place);
  for (const { path, text, there } of files) {
    if (there !== text) await writeFile(path, text, place, "ordinary");
    report(there === text ? "kept" : there === null ? "wrote" : "renewed", path);
  }
}

async function explainPath(io: CommandIo, path: string) {
  const steps = path.replaceAll(/\[(\d+|\*)?\]/g, "").split(".");
  const [kind = "", ...fields] = steps.filter((step) => step !== "");
  const width = Math.max(40, Math.min(io.columns ?? 100, 100));
  const explanation = explain(requireSchemaName(kind), fields);
  await writeResult(explanationText(explanation, palette(isColored(io)), width), io);
  return 0;
}

function explanationText(explanation: Explanation, paint: Palette, width: number) {
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
