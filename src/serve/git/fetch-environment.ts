import { EdgewiseError } from "../../core/errors.js";
import { type Git, type GitHost, gitSettings, trustedProgram } from "../../git/git-program.js";
import type { Repository } from "../../git/run-git.js";
import { shellWord } from "../../core/text.js";
import type { SourceAddress } from "./source-address.js";

export interface FetchNeeds {
  readonly clone: Repository;
  readonly address: SourceAddress;
  readonly host: GitHost;
  /** For a web address: `user:password`, or a token alone; null = none. */
  readonly credentials: string | null;
}

/** What every fetch is run with. Nothing is taken on trust, nothing else is fetched, and large files stay packed. */
const fetchSettings: readonly string[] = [
  "protocol.version=2",
  "fetch.fsckObjects=true",
  // Flaws of old programs, which tell nothing wrong.
  ...["badTimezone", "missingSpaceBeforeDate", "zeroPaddedFilemode"].map((flaw) => `fetch.fsck.${flaw}=ignore`),
  "fetch.unpackLimit=1",
  "fetch.writeCommitGraph=false",
  "transfer.bundleURI=false",
  "core.bigFileThreshold=1m",
  "pack.threads=1",
  // A redirect would lead to a server that the operator did not name.
  "http.followRedirects=false",
  "http.proxy=",
  "http.sslVerify=true",
  "http.lowSpeedLimit=1000",
  "http.lowSpeedTime=60",
];

export function fetchArguments(needs: FetchNeeds, refspecs: readonly string[]): readonly string[] {
  const alone = ["--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance"];
  const refs = ["--no-show-forced-updates", "--update-shallow", "--refmap="];
  return argumentsOf(needs, ["fetch", "--quiet", ...alone, ...refs], refspecs);
}

export function listArguments(needs: FetchNeeds, patterns: readonly string[]): readonly string[] {
  return argumentsOf(needs, ["ls-remote", "--quiet", "--refs"], patterns);
}

function argumentsOf(
  { address, clone }: FetchNeeds,
  command: readonly string[],
  refs: readonly string[],
): readonly string[] {
  const settings = fetchSettings.flatMap((setting) => ["-c", setting]);
  const local = address.protocol === "file" ? [`--upload-pack=${uploadPack(clone.git, address.url)}`] : [];
  return [...settings, ...command, ...local, "--", address.url, ...refs];
}

/** What serves a repository of this machine: git with the same settings, which override those of that repository. */
function uploadPack(git: Git, path: string): string {
  // Git takes an empty name of this program for a program. It never obeys a repository's own.
  const settings = gitSettings.filter((setting) => !setting.startsWith("uploadpack."));
  const words = [...settings, `safe.directory=${path}`].flatMap((setting) => ["-c", setting]);
  return [git.program, ...words, "upload-pack"].map(shellWord).join(" ");
}

/** The whole environment of a fetch. */
export async function fetchEnvironment(needs: FetchNeeds): Promise<{ readonly [name: string]: string }> {
  const { clone, address, host } = needs;
  const { HOME: home, ...rest } = clone.git.environment;
  const common = { ...rest, GIT_DIR: clone.gitDir, GIT_ALLOW_PROTOCOL: address.protocol };
  switch (address.protocol) {
    case "file":
      return { ...common, HOME: clone.workTree };
    case "http":
    case "https":
      // The HTTP library would read passwords from a file in HOME.
      return { ...common, HOME: clone.workTree, ...authorization(address, needs.credentials) };
    case "ssh": {
      const ssh = await trustedProgram(clone.git, "ssh", clone.gitDir);
      if (ssh === null) throw new EdgewiseError("git", "ssh is not installed, or not on the PATH");
      const agent = host.env["SSH_AUTH_SOCK"];
      return {
        ...common,
        ...(home === undefined ? {} : { HOME: home }),
        ...(agent === undefined ? {} : { SSH_AUTH_SOCK: agent }),
        GIT_SSH_COMMAND: `${shellWord(ssh)} -o BatchMode=yes -o ConnectTimeout=30 -o ForwardAgent=no`,
        GIT_SSH_VARIANT: "ssh",
      };
    }
  }
}

function authorization({ url }: SourceAddress, credentials: string | null): { readonly [name: string]: string } {
  if (credentials === null) return {};
  return {
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: `http.${url}.extraHeader`,
    GIT_CONFIG_VALUE_0: `Authorization: Basic ${basic(credentials)}`,
  };
}

function basic(credentials: string): string {
  const pair = credentials.includes(":") ? credentials : `x-access-token:${credentials}`;
  return Buffer.from(pair, "utf8").toString("base64");
}
