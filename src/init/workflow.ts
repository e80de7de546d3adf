/** A workflow that plans on pull requests, applies on the main branch and looks for drift every night. */
export function workflow(version: string): string {
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
          fetch-depth: 0 # the merge base tells who changed what
      - uses: actions/setup-node@39370e3970a6d050c480ffad4ff0ed4d3fdee5af # v4.1.0
        with:
          node-version: 22
      - run: npm install --global edgewise@${version}

      - name: Validate
        if: github.event_name != 'schedule'
        run: edgewise validate --output github

      - name: Plan
        # Pull requests from forks get no key. A key that may only read is enough here and for drift.
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
