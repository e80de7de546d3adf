import { createHash } from "node:crypto";
import { readFile, realpath } from "node:fs/promises";
import { join } from "node:path";
import { EdgewiseError } from "../core/errors.js";
import { singleFile } from "../core/own-files.js";
import { version } from "../core/version.js";
import { hasCode } from "../files/file-errors.js";
import { readBounded } from "../files/read-bounded.js";
import { ciRecipes } from "../generated/ci-recipes.js";

export type InitFile = Readonly<{
  path: string;
  text: string;
}>;

export const programDirectory = ".edgewise";

export const schemaDirectory = `${programDirectory}/schemas`;

const mostBytes = 64_000_000;

export async function readThere(path: string): Promise<string | null> {
  try {
    return readBounded(path, { most: mostBytes }).toString("utf8");
  } catch (cause) {
    if (hasCode(cause, "ENOENT")) return null;
    const why = cause instanceof Error ? cause.message : String(cause);
    const remedy = "Remove it, and run the command again.";
    throw new EdgewiseError("io", `${path} can't be read: ${why}`, { cause, remedy });
  }
}

function schemaLine(path: string) {
  return `# yaml-language-server: $schema=${path}`;
}

/** They validate as they are, and the first apply creates nothing: the manifest is a comment. */
export function stackFiles(stack: string, schemas: string): readonly InitFile[] {
  return [
    { path: "edgewise.yaml", text: config(stack, schemaLine(`${schemas}/config.schema.json`)) },
    { path: "edge/example.yaml", text: manifests(schemaLine(`../${schemas}/manifest.schema.json`)) },
  ];
}

export const ignoredLines = [
  "# edgewise: saved plans, journals, reports, keys",
  "edgewise-plans/",
  "*.plan",
  "plan.json",
  "plan.txt",
  "plan.md",
  "plan.html",
  "journal.jsonl",
  "*.journal.jsonl",
  "result.md",
  "drift.md",
  "drift.json",
  "drift.xml",
  "*.key.pem",
  ".env",
] as const;

/** Other line endings would break the checksum. */
export const attributeLines = [
  "# edgewise: its program stays as it is, byte for byte",
  ".edgewise/** -text linguist-vendored",
] as const;

function config(stack: string, schema: string) {
  return `${schema}
apiVersion: edgewise/v1
kind: Config

# The set of resources that this configuration owns. Only resources with its marker are changed or deleted.
stack: ${JSON.stringify(stack)}

# Files, directories and globs, relative to this file.
manifests: [edge/]

# The address of the service; else EDGEWISE_BASE_URL. The API key never belongs here: use EDGEWISE_API_KEY or --api-key-file.
# api:
#   baseUrl: https://api.example.com
#   versionHeader: Service-Version # the live service uses its own header name

# A plan that deletes more than this is refused.
guards:
  maxDeletes: 3

# One apply at a time: apply and destroy take a lock before they write, an HTTP response backend in the account.
# \`edgewise unlock\` removes one that was left behind.
lock: true

# variables: {region: eu}
# environments:
#   staging: {stack: ${JSON.stringify(`${stack}-staging`)}, variables: {region: us}}
`;
}

/** A comment twice over: uncommented once, from the fourth line on, the file holds two manifests. */
function manifests(schema: string) {
  return `${schema}
# An example: a static response, and an edge that serves it. To use it, remove "# " from the lines below.
# \`edgewise explain TLSEdge\` lists every field; \`edgewise export\` writes manifests for existing resources.
# apiVersion: edgewise/v1
# kind: HTTPResponseBackend
# metadata:
#   name: maintenance
# spec:
#   description: Maintenance page
#   status_code: 503
#   headers:
#     content-type: text/plain
#   body: |
#     We are back soon.
# ---
# ${schema}
# apiVersion: edgewise/v1
# kind: TLSEdge
# metadata:
#   name: example
# spec:
#   description: Example edge
#   hostports: ["edge.example.com:443"]
#   backend:
#     backend: {name: maintenance}
#   tls_termination:
#     terminate_at: edge
#     min_version: "1.2"
`;
}

export type CiSystem = "github" | "gitlab" | "none";

export function recipeFiles(ci: CiSystem, vendored: boolean): readonly InitFile[] {
  if (ci === "none") return [];
  return ciRecipes[ci].map(({ path, text }) => {
    return { path, text: signed(vendored ? text : withoutProgram(text)) };
  });
}

/** `init --upgrade` replaces only those. */
export function isAsWritten(text: string): boolean {
  const own = text.replaceAll("\r\n", "\n");
  const at = own.lastIndexOf(signature);
  return at >= 0 && own === signed(own.slice(0, at));
}

const signature = "# As `edgewise init` wrote it, sha256 ";

function signed(text: string) {
  return `${text}${signature}${sumOf(text)}\n`;
}

/** Each job has a step that a person completes. */
function withoutProgram(text: string) {
  const install = `      # Put edgewise ${version} on the PATH here, from a place that you control and that a pull request can't change.
      - run: edgewise --version`;
  const lines = text.split("\n").filter((line) => !/^ +(?:git (?:cat-file|show) |BASE: )/u.test(line));
  const uses = lines.map((line) => line.replace(/node (?:\.edgewise|"\$RUNNER_TEMP)\/edgewise\.mjs"?/u, "edgewise"));
  return uses.map((line) => (/^ +with: \{ persist-credentials/u.test(line) ? `${line}\n${install}` : line)).join("\n");
}

export const programPath = `${programDirectory}/edgewise.mjs`;

const checksumPath = `${programPath}.sha256`;

export type Vendoring = Awaited<ReturnType<typeof vendoring>>;

/** Without `upgrade` a program that differs gets no checksum: that would vouch for it. */
export async function vendoring(directory: string, upgrade: boolean) {
  const own = await readFile(singleFile, "utf8").catch((cause: unknown) => {
    const remedy = "Run `npm run build` there, or use --no-vendor to leave the program out.";
    throw new EdgewiseError("io", "edgewise's own dist/edgewise.mjs is missing or can't be read", { cause, remedy });
  });
  const files = [
    { path: programPath, text: own },
    { path: checksumPath, text: `${sumOf(own)}  edgewise.mjs\n` },
  ];
  const file = join(directory, programPath);
  const program = await readThere(file);
  if (program === null) return { files, note: null };
  if (upgrade && (await realpath(file)) === (await realpath(singleFile))) {
    const remedy = "To renew it, run a newer one: node PATH/edgewise.mjs init --upgrade";
    const checksum = await readThere(join(directory, checksumPath));
    if (checksum !== null && checksum.trim().split(/\s/u)[0]?.toLowerCase() !== sumOf(program)) {
      const message = `${programPath} does not have the checksum in ${checksumPath}, and a changed program can't vouch for itself`;
      throw new EdgewiseError("io", message, `Restore both from Git. ${remedy}.`);
    }
    return { files, note: `This is the program in the repository itself. ${remedy}` };
  }
  if (program === own) return { files, note: null };
  // The build writes the version into the second line.
  const there = /^#![^\n]*\n\/\/ edgewise (\d+\.\d+\.\d+(?:[-+][\w.+-]+)?)\r?\n/.exec(program)?.[1];
  const name = there === undefined ? "a program of unknown version" : `edgewise ${there}`;
  if (upgrade) return { files, note: `The repository held ${name}, and now holds edgewise ${version}.` };
  const note = `The repository holds ${name}, which differs from this edgewise ${version}. \`edgewise init --upgrade\` renews it.`;
  return { files: files.slice(0, 1), note };
}

function sumOf(text: string) {
  return createHash("sha256").update(text).digest("hex");
}
