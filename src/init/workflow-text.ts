/** A workflow that plans on pull requests, applies on the main branch and looks for drift every night. */
export function workflowText({ version, vendored }: { readonly version: string; readonly vendored: boolean }): string {
  const edgewise = vendored ? "node .edgewise/edgewise.mjs" : "edgewise";
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
${vendored ? checkStep : installStep(version)}
      - name: Validate
        if: github.event_name != 'schedule'
        run: ${edgewise} validate --output github

      - name: Plan
        # Pull requests from forks have no access to the key. A read-only key is enough here and for drift.
        if: github.event_name == 'pull_request' && github.event.pull_request.head.repo.full_name == github.repository
        env:
          EDGEWISE_API_KEY: \${{ secrets.EDGEWISE_READ_KEY }}
          EDGEWISE_BASE_URL: \${{ vars.EDGEWISE_BASE_URL }}
        run: ${edgewise} plan --base "origin/$GITHUB_BASE_REF" --output markdown >> "$GITHUB_STEP_SUMMARY"

      - name: Apply
        if: github.event_name == 'push'
        env:
          EDGEWISE_API_KEY: \${{ secrets.EDGEWISE_API_KEY }}
          EDGEWISE_BASE_URL: \${{ vars.EDGEWISE_BASE_URL }}
        run: ${edgewise} apply --auto-approve

      - name: Drift
        if: github.event_name == 'schedule'
        env:
          EDGEWISE_API_KEY: \${{ secrets.EDGEWISE_READ_KEY }}
          EDGEWISE_BASE_URL: \${{ vars.EDGEWISE_BASE_URL }}
        run: ${edgewise} drift --output markdown >> "$GITHUB_STEP_SUMMARY"
`;
}

const checkStep = `      - name: Check the program
        run: cd .edgewise && sha256sum --check edgewise.mjs.sha256
`;

/** The repository doesn't hold the program, and edgewise is on no registry. */
function installStep(version: string): string {
  return `      # Put edgewise ${version} on the PATH here, from a place that you control. For example, commit
      # .edgewise/edgewise.mjs after all (run edgewise init --upgrade), download the file edgewise.mjs of a release and
      # check it with sha256sum, or run npm install --global git+https://HOST/PATH/edgewise.git#COMMIT.
      - run: edgewise --version
`;
}
