import { hostname } from "node:os";
import { visibleLine } from "../core/visible.js";

export type Env = { readonly [name: string]: string | undefined };

export type CiRun = Readonly<{
  system: "github" | "gitlab" | "none";
  event: "change" | "push" | "merge-queue" | "manual" | "schedule" | "comment";
  /** What a change is compared with, as Git names it; null where nothing is. */
  base: string | null;
  head: string | null;
  change: number | null;
  isFork: boolean;
  defaultBranch: string | null;
  isDefaultBranch: boolean;
  runUrl: string | null;
  asked: Asked;
  /** Where the names `edge-applied-SLUG` are in a clone. */
  appliedRefs: "refs/tags/" | "refs/remotes/origin/";
  token: string | null;
}>;

type Asked = Readonly<{
  slugs: readonly string[];
  ref: string | null;
  allow: readonly string[];
  maxDeletes: string | null;
}>;

export function askedOf(input: (name: "stack" | "ref" | "allow" | "max-deletes") => string | null): Asked {
  const text = (name: "ref" | "max-deletes") => input(name)?.trim() || null;
  return {
    slugs: words(input("stack") ?? ""),
    ref: text("ref"),
    allow: words(input("allow") ?? ""),
    maxDeletes: text("max-deletes"),
  };
}

export function words(text: string): readonly string[] {
  return text.split(/\s+/u).filter((word) => word !== "");
}

export const runOutside: CiRun = {
  system: "none",
  event: "manual",
  base: null,
  head: null,
  change: null,
  isFork: false,
  defaultBranch: null,
  isDefaultBranch: false,
  runUrl: null,
  asked: { slugs: [], ref: null, allow: [], maxDeletes: null },
  appliedRefs: "refs/tags/",
  token: null,
};

export interface CiHost {
  summary(markdown: string): Promise<void>;
  comment(change: number, key: string, markdown: string): Promise<void>;
  /** Null closes it. */
  issue(key: string, title: string, markdown: string | null): Promise<void>;
  recordApplied(slug: string, commit: string): Promise<void>;
  /** To later steps: `approved` is the hash of what was planned, empty when nothing changes. */
  handOn(values: { readonly [name: string]: string }): Promise<void>;
}

/** GitHub refuses more than 65,536, with what stands around it. */
export const longestText = 64_000;

export const driftLabel = "edgewise-drift";

export function tellingHost(tell: (text: string) => void): CiHost {
  const say = async (what: string) => tell(`Would ${visibleLine(what)}.\n`);
  return {
    summary: () => say("write the summary of the run"),
    comment: (change) => say(`comment on change ${change} with the summary`),
    issue: (_key, title, markdown) =>
      say(`${markdown === null ? "close the issue, if there is one" : "open or update the issue"}: ${title}`),
    recordApplied: (slug, commit) => say(`set edge-applied-${slug} to ${commit}`),
    handOn(values) {
      const shown = Object.entries(values).map(([name, value]) => `${name}=${value}`);
      return say(`hand on ${shown.join(", ")}`);
    },
  };
}

/** From a CI system's variables, else user and machine. */
export function whoRuns(env: Env): string {
  const of = (...names: readonly string[]) => names.map((name) => env[name] ?? "").find(Boolean) ?? "";
  const github = ["GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID"].map((name) => of(name));
  const [where, who] = github.includes("")
    ? [
        of("CI_JOB_URL", "BUILDKITE_BUILD_URL", "CIRCLE_BUILD_URL", "BUILD_URL"),
        of("GITLAB_USER_LOGIN", "BUILDKITE_BUILD_CREATOR", "CIRCLE_USERNAME", "BUILD_USER_ID"),
      ]
    : [`${github[0]}/${github[1]}/actions/runs/${github[2]}`, of("GITHUB_TRIGGERING_ACTOR", "GITHUB_ACTOR")];
  if (where !== "") return who === "" ? where : `${who}, ${where}`;
  return `${of("USER", "LOGNAME", "USERNAME") || "somebody"}@${hostname()}`;
}
