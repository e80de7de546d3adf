import { Document, visit } from "yaml";
import type { ExportDocument } from "./document-of.js";

/**
 * YAML documents in one text, or JSON: an array, or the one object of a file of its own. Ends with a newline.
 * Nothing that stands in it acts upon a terminal or a runner that shows it.
 */
export function renderDocuments(
  documents: readonly ExportDocument[],
  format: "yaml" | "json",
  split: "kind" | "resource",
): string {
  const manifests = documents.map((document) => document.manifest);
  if (format === "json") {
    const only = split === "resource" && manifests.length === 1 ? manifests[0] : manifests;
    return `${escapeActive(JSON.stringify(only, null, 2), jsonEscape)}\n`;
  }
  return manifests.map(renderYaml).join("---\n");
}

/** What a terminal or a runner would act upon: invisible characters, and a runner's commands. */
const activeCharacters =
  /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u{E0100}-\u{E01EF}]|^[^\S\n\r\u2028\u2029]*::|##\w{0,64}\[/mu;

function renderYaml(manifest: unknown): string {
  const document = new Document(manifest, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (_, node) => {
      // On one line and in quotes, where everything can be escaped.
      if (typeof node.value === "string" && activeCharacters.test(node.value)) node.type = "QUOTE_DOUBLE";
    },
  });
  return escapeActive(document.toString({ lineWidth: 0, doubleQuotedAsJSON: true }), yamlEscape);
}

/** What is active in a text whose every string is quoted where it matters, written as escapes. */
function escapeActive(text: string, escaped: (character: string) => string): string {
  return text
    .replaceAll(/(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u{E0100}-\u{E01EF}]/gu, escaped)
    .replaceAll(/#(?=#\w{0,64}\[)/gu, "\\u0023");
}

function jsonEscape(character: string): string {
  return character.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function yamlEscape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, "0")}` : jsonEscape(character);
}
