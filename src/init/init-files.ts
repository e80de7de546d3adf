import { type CiSystem, ciFiles } from "./ci-files.js";
import { schemaLine } from "./editor-files.js";

/** A file that `init` writes. */
export interface InitFile {
  /** Relative to the directory, with `/`. */
  readonly path: string;
  readonly text: string;
}

/**
 * The files of a new repository: they validate as they are, and plan against the service at `EDGEWISE_BASE_URL`. Pure.
 */
export function initFiles(options: {
  readonly stack: string;
  readonly ci: CiSystem;
  readonly version: string;
  /** Whether the repository holds the program. */
  readonly vendored: boolean;
}): readonly InitFile[] {
  return [
    { path: "edgewise.yaml", text: config(options.stack) },
    { path: "edge/example.yaml", text: manifests },
    ...ciFiles(options),
  ];
}

/** Lines for `.gitignore`: files that must not be committed. */
export const ignoredLines = [
  "# edgewise: saved plans, journals, reports, keys",
  "*.plan",
  "plan.json",
  "plan.txt",
  "plan.md",
  "plan.html",
  "plan.env",
  "journal.jsonl",
  "*.journal.jsonl",
  "result.md",
  "drift.md",
  "drift.json",
  "drift.xml",
  "code-quality.json",
  "edgewise-child.yml",
  "edgewise-plans/",
  "*.key.pem",
  ".env",
] as const;

/** Lines for `.gitattributes`: Git must not change line endings, or the checksum no longer matches. */
export const attributeLines = [
  "# edgewise: its program stays as it is, byte for byte",
  ".edgewise/** -text linguist-vendored",
] as const;

function config(stack: string): string {
  return `${schemaLine("config.schema.json", "edgewise.yaml")}
apiVersion: edgewise/v1
kind: Config

# The set of resources that this configuration owns. Only resources with its marker are changed or deleted.
stack: ${JSON.stringify(stack)}

# Files, directories and globs, relative to this file.
manifests: [edge/]

# The address of the service. Until you set it here, EDGEWISE_BASE_URL is used. The API key never belongs in this file: it comes
# from EDGEWISE_API_KEY or --api-key-file.
# api:
#   baseUrl: https://api.example.com
#   versionHeader: Service-Version # the live service uses its own header name

# A plan that deletes more than this is refused.
guards:
  maxDeletes: 3

# One apply at a time: apply and destroy take a lock before they write. The lock is an HTTP response backend in the account;
# \`edgewise unlock\` removes one that was left behind.
lock: true

# variables: {region: eu}
# environments:
#   staging: {stack: ${JSON.stringify(`${stack}-staging`)}, variables: {region: us}}
`;
}

const manifestLine = schemaLine("manifest.schema.json", "edge/example.yaml");

const manifests = `${manifestLine}
# A static response, and an edge that serves it.
# \`edgewise explain TLSEdge\` lists every field; \`edgewise export\` writes manifests for existing resources.
apiVersion: edgewise/v1
kind: HTTPResponseBackend
metadata:
  name: maintenance
spec:
  description: Maintenance page
  status_code: 503
  headers:
    content-type: text/plain
  body: |
    We are back soon.
---
${manifestLine}
apiVersion: edgewise/v1
kind: TLSEdge
metadata:
  name: example
spec:
  description: Example edge
  hostports: ["edge.example.com:443"]
  backend:
    backend: {name: maintenance}
  tls_termination:
    terminate_at: edge
    min_version: "1.2"
`;
