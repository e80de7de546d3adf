/**
 * Commands of Terraform, kubectl, Helm and Git that people type here, and what does the same in edgewise: one sentence or
 * two, which follow `unknown command NAME`.
 */
export const foreignCommands: ReadonlyMap<string, string> = new Map(
  (
    [
      [
        ["diff", "preview", "dry-run", "whatif"],
        "`edgewise plan` shows what differs between the manifests and the live account. `edgewise drift` shows what was changed outside of Git.",
      ],
      [
        ["import", "adopt"],
        "`edgewise export` writes manifests for live resources. To adopt a single one, put its id into `metadata.id` of its manifest, and apply.",
      ],
      [
        ["sync", "reconcile"],
        "`edgewise apply` makes the account match the manifests once. `edgewise serve` keeps it so, continuously.",
      ],
      [
        ["watch", "daemon", "operator", "controller", "agent", "server"],
        "`edgewise serve` keeps accounts as Git says, continuously. `edgewise sandbox` runs a local server of the API.",
      ],
      [["deploy", "up", "push", "update", "create", "run"], "`edgewise apply` makes the account match the manifests."],
      [["get", "ls", "describe"], "`edgewise list` shows what is live, whose it is and who refers to it."],
      [
        ["delete", "rm", "remove", "down", "teardown"],
        "To delete one resource, remove its manifest and run `edgewise apply`. `edgewise destroy` deletes everything that the stack owns.",
      ],
      [
        ["status"],
        "`edgewise plan` shows what is left to apply, `edgewise drift` what was changed outside of Git, and `edgewise list` what is live.",
      ],
      [
        ["refresh", "state", "taint", "untaint"],
        "There is no state file: every command reads the live account. `edgewise list` shows what is live and whose it is.",
      ],
      [
        ["fmt", "format", "lint", "check", "verify"],
        "`edgewise validate` checks manifests. It does not reformat them.",
      ],
      [
        ["test"],
        "`edgewise validate` checks manifests, and `edgewise policy test` runs the tests of the policies in edgewise.yaml.",
      ],
      [
        ["login", "logout", "auth", "configure"],
        "There is no login: put the API key into EDGEWISE_API_KEY, or name its file with --api-key-file. `edgewise ping` checks it.",
      ],
      [
        ["config", "env", "environments", "environment", "workspace", "workspaces"],
        "`edgewise stacks` lists the configurations and environments. -e NAME selects an environment.",
      ],
      [
        ["rollback", "revert", "undo"],
        "`edgewise apply --ref COMMIT` applies the manifests of an earlier commit, like --ref HEAD~1.",
      ],
      [["dump", "backup"], "`edgewise export --all` writes manifests for everything that is live."],
      [["force-unlock"], "`edgewise unlock` removes the account's lock that an apply left behind."],
      [
        ["lock"],
        "`edgewise apply --lock` takes the account's lock while it runs, and so does `lock: true` in edgewise.yaml. `edgewise unlock` removes one that was left behind.",
      ],
      [
        ["output", "outputs"],
        "There are no outputs: `edgewise list -o json` shows the id of each live resource, and its address.",
      ],
      [["doctor", "health", "healthcheck"], "`edgewise ping` checks base URL, API key and what can be read."],
      [["docs", "doc", "man", "api-resources"], "`edgewise explain KIND` shows the documentation of a kind."],
      [["mock", "emulator", "dev"], "`edgewise sandbox` runs a local server of the whole API."],
      [["upgrade"], "`edgewise init --upgrade` replaces the program in the repository by the one that runs."],
      [["new", "setup"], "`edgewise init` sets up a repository."],
    ] as const
  ).flatMap(([names, answer]) => names.map((name): readonly [string, string] => [name, answer])),
);

/** What stands for an option of another program. */
export interface ForeignOption {
  /** The option here, without dashes; it only counts for commands that have it. */
  readonly is?: string;
  /** A fixed value for that option; otherwise the one that was given. */
  readonly value?: string;
  /** Or an answer in words. */
  readonly words?: string;
  /** Words for some commands. */
  readonly of?: { readonly [command: string]: string };
}

const keyIsNoFlag: ForeignOption = {
  words:
    "The API key is never given on the command line, which other users and logs can see: put it into EDGEWISE_API_KEY, or name its file with --api-key-file.",
};
const trust: ForeignOption = {
  words:
    "Certificates are always checked. NODE_EXTRA_CA_CERTS=ca.pem in the environment makes edgewise trust an authority of your own.",
};
const readsOnly = "This command never changes the account: leave it out.";

/** Options of other programs that people type here, without dashes. */
export const foreignOptions: ReadonlyMap<string, ForeignOption> = new Map(
  (
    [
      [["target", "targets", "resource"], { is: "only" }],
      [["selector", "labels"], { is: "label" }],
      [["env", "context", "profile", "workspace", "namespace"], { is: "environment" }],
      [
        ["yes", "approve", "assume-yes", "no-input", "non-interactive", "auto-approve"],
        { is: "auto-approve", value: "", words: "This command asks nothing: leave it out." },
      ],
      [
        ["force"],
        {
          words:
            "--auto-approve applies without asking. --allow KIND/NAME lifts the guards for one resource; the refusal that you want to lift names it.",
        },
      ],
      [
        ["dry-run", "check", "whatif", "diff"],
        {
          words: readsOnly,
          of: {
            apply: "`edgewise plan` shows what apply would do, and changes nothing.",
            destroy: "Without --auto-approve it shows what it would delete, and asks first.",
            pull: "Without --auto-approve it shows what it would write, and asks first.",
            init: "It never overwrites files.",
          },
        },
      ],
      [["detailed-exit-code", "exit-code"], { is: "detailed-exitcode", value: "" }],
      [["no-colour", "no-colours", "no-colors"], { is: "no-color", value: "" }],
      [["color", "colour", "colors"], { words: "FORCE_COLOR=1 turns colours on, NO_COLOR=1 or --no-color off." }],
      [["format", "output-format"], { is: "output" }],
      [["out-file", "outfile", "output-path"], { is: "output-file" }],
      [["api-key", "apikey", "key", "token", "api-token", "password", "auth"], keyIsNoFlag],
      [["url", "api-url", "host", "endpoint", "server"], { is: "base-url" }],
      [["filename", "manifest", "manifests", "path"], { is: "file" }],
      [["dir", "directory", "chdir", "cwd"], { words: "Run it in that directory, or name its edgewise.yaml with -c." }],
      [["set"], { is: "var" }],
      [
        ["var-file", "values"],
        {
          words:
            "Values come from `variables` in edgewise.yaml and from --var NAME=VALUE; there are no files of variables.",
        },
      ],
      [["parallelism", "parallel", "jobs"], { is: "concurrency" }],
      [
        ["refresh", "refresh-only", "state", "state-out", "backend", "backend-config", "reconfigure"],
        {
          words:
            "There is no state: every plan reads the live account. `edgewise drift` shows what was changed outside of Git.",
        },
      ],
      [["prune"], { words: "Pruning is on, unless -f, --only, -l or --no-prune is given." }],
      [["no-lock"], { words: "The account's lock is off, unless --lock is given or edgewise.yaml has `lock: true`." }],
      [
        ["destroy"],
        { words: "`edgewise destroy --out FILE` saves a plan that deletes everything that the stack owns." },
      ],
      [["input"], { words: "Where there is no terminal, nothing is asked. --auto-approve applies without asking." }],
      [["debug", "trace", "log-level"], { is: "verbose", value: "" }],
      [["silent"], { is: "quiet", value: "" }],
      [["timeout", "request-timeout"], { words: "Set it in edgewise.yaml, like `api: {timeout: 60s}`." }],
      [["insecure", "insecure-skip-tls-verify", "skip-tls-verify"], trust],
      [["cacert", "ca-file", "ca-cert", "certificate-authority"], trust],
      [["proxy"], { words: "Set HTTPS_PROXY in the environment." }],
      [["watch"], { words: "`edgewise serve` keeps accounts as Git says, continuously." }],
      [["recursive"], { words: "Directories are always read recursively: leave it out." }],
      [["version"], { words: "`edgewise --version` prints the version." }],
    ] satisfies readonly (readonly [readonly string[], ForeignOption])[]
  ).flatMap(([names, option]) => names.map((name): readonly [string, ForeignOption] => [name, option])),
);
