/** A file that `init` writes. */
export interface InitFile {
  /** Relative to the directory, with `/`. */
  readonly path: string;
  readonly text: string;
}

/**
 * The files of a new repository: they validate as they are, and plan against the service at `EDGEWISE_BASE_URL`. Pure.
 */
export function initFiles(options: { readonly stack: string; readonly version: string }): readonly InitFile[] {
  return [
    { path: "edgewise.yaml", text: config(options.stack) },
    { path: "edge/example.yaml", text: manifests },
    { path: ".github/workflows/edgewise.yml", text: workflow(options.version) },
  ];
}

/** Lines for `.gitignore`: files that must not be committed. */
export const ignoredLines = [
  "# edgewise: saved plans, journals, keys",
  "plan.json",
  "*.journal.jsonl",
  "*.key.pem",
  ".env",
] as const;

function config(stack: string): string {
  return `apiVersion: edgewise/v1
kind: Config

# The set of resources that this configuration owns. Only resources with its marker are changed or deleted.
stack: ${JSON.stringify(stack)}

# Files, directories and globs, relative to this file.
manifests: [edge/]

# The address of the service. Until you set it here, EDGEWISE_BASE_URL is used. The key is always in EDGEWISE_API_KEY.
# api:
#   baseUrl: https://api.example.com
#   versionHeader: Service-Version # the live service uses its own header name

# A plan that deletes more than this is refused.
guards:
  maxDeletes: 3

# One apply at a time: apply takes a lock in the account itself (docs/locking.md).
lock: true

# variables: {region: eu}
# environments:
#   staging: {stack: ${JSON.stringify(`${stack}-staging`)}, variables: {region: us}}
`;
}

const manifests = `# A static response, and an edge that serves it.
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

/** A workflow that plans on pull requests, applies on the main branch and looks for drift every night. */
function workflow(version: string): string {
  return `name: edgewise

on:
  pull_request:
  push:
    branches: [main]
  schedule:
    - cron: "17 4 * * *"

permissions:
  contents: read

# Two runs must not write at the same time.
concurrency:
  group: edgewise-\${{ github.event_name == 'pull_request' && github.ref || 'live' }}

jobs:
  edgewise:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2
        with:
          fetch-depth: 0 # plan --base needs the merge base, to show who changed what
      - uses: actions/setup-node@39370e3970a6d050c480ffad4ff0ed4d3fdee5af # v4.1.0
        with:
          node-version: 22
      - run: npm install --global edgewise@${version}

      - name: Validate
        if: github.event_name != 'schedule'
        run: edgewise validate --output github

      - name: Plan
        # Pull requests from forks have no access to the key. A read-only key is enough here and for drift.
        if: github.event_name == 'pull_request' && github.event.pull_request.head.repo.full_name == github.repository
        env:
          EDGEWISE_API_KEY: \${{ secrets.EDGEWISE_READ_KEY }}
          EDGEWISE_BASE_URL: \${{ vars.EDGEWISE_BASE_URL }}
        run: edgewise plan --base "origin/$GITHUB_BASE_REF" --output markdown >> "$GITHUB_STEP_SUMMARY"

      - name: Apply
        if: github.event_name == 'push'
        env:
          EDGEWISE_API_KEY: \${{ secrets.EDGEWISE_API_KEY }}
          EDGEWISE_BASE_URL: \${{ vars.EDGEWISE_BASE_URL }}
        run: edgewise apply --auto-approve

      - name: Drift
        if: github.event_name == 'schedule'
        env:
          EDGEWISE_API_KEY: \${{ secrets.EDGEWISE_READ_KEY }}
          EDGEWISE_BASE_URL: \${{ vars.EDGEWISE_BASE_URL }}
        run: edgewise drift --output markdown >> "$GITHUB_STEP_SUMMARY"
`;
}
