// A fleet of any size without a repository: accounts with so many stacks each, of one source in memory.

const commit = "0123456789abcdef0123456789abcdef01234567";
const place = { file: "fleet.yaml", line: 1, column: 1 };

/** @returns the fleet, and what the loop needs to follow its source */
export function memoryFleet({ accounts, each, intervalMs }) {
  const names = Array.from({ length: accounts }, (_, index) => `a${String(index).padStart(5, "0")}`);
  const stacks = Array.from({ length: each }, (_, index) => `t${String(index).padStart(3, "0")}`);
  const policy = {
    intervalMs,
    apply: { commit: "never", drift: "never" },
    windows: [],
    suspend: null,
    approvers: null,
    brake: { stacks: { percent: 20 }, deletesPerDay: 10, writers: 3, release: [] },
    deadlineMs: 900_000,
  };
  const source = {
    name: "edge",
    git: "/nowhere",
    ref: "main",
    pin: null,
    accept: [],
    pollMs: 60_000,
    credentials: null,
    signedBy: null,
    hook: null,
    place,
  };
  const account = (name) => ({
    name,
    baseUrl: "https://api.example.com",
    versionHeader: "Service-Version",
    moduleEndpoints: [],
    key: { file: `/run/secrets/${name}` },
    requestsPerMinute: null,
    place,
  });
  const entry = (name) => ({
    name,
    source: "edge",
    config: { pattern: `${name}/*/edgewise.yaml` },
    environment: null,
    account: name,
    stack: null,
    secrets: null,
    variables: {},
    allow: { previousStacks: [], adopt: [], modulesOf: [], guards: [] },
    policy,
    place,
  });
  const fleet = {
    file: "/fleet.yaml",
    pause: false,
    sources: new Map([["edge", source]]),
    accounts: new Map(names.map((name) => [name, account(name)])),
    entries: names.map(entry),
    forgotten: new Set(),
    http: { host: "127.0.0.1", port: 0, token: null },
    notify: [],
    historyMs: 90 * 86_400_000,
  };
  const opened = {
    commit,
    findConfigs: async (pattern) => {
      const [name] = pattern.split("/");
      return stacks.map((match) => ({ path: `${name}/${match}/edgewise.yaml`, match }));
    },
    readConfig: async () => null,
    directoryIds: async (directories) => new Map(directories.map((each) => [each, { id: each, hasLinks: false }])),
    tree: async () => {
      throw new Error("nobody reads manifests");
    },
  };
  const reader = {
    fetch: async ({ name }) => ({ name, followed: commit, tip: commit, fetchedAt: Date.now(), problem: null }),
    open: async () => opened,
    close: async () => {},
  };
  const expand = (found) => ({
    targets: found.flatMap(({ configs, entry: own }) =>
      configs.map(({ match, path }) => ({
        name: `${own.name}/${match}`,
        entry: own,
        config: path,
        stack: `${own.name}-${match}`,
        secrets: null,
      })),
    ),
    problems: [],
  });
  const readClaims = ({ stack }) => ({ marker: stack, previousStacks: [] });
  return { fleet, commit, reader, expand, readClaims };
}
