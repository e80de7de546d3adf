import { hostname } from "node:os";

/** Who runs this: a name and the page of the run from the variables of a CI system, else user and machine. */
export function whoRuns(env: { readonly [name: string]: string | undefined }): string {
  const of = (...names: readonly string[]): string => names.map((name) => env[name] ?? "").find(Boolean) ?? "";
  const github = ["GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID"].map((name) => of(name));
  // Who started this attempt may be another than who caused the run.
  const [where, who] = github.includes("")
    ? [
        of("CI_JOB_URL", "BUILDKITE_BUILD_URL", "CIRCLE_BUILD_URL", "BUILD_URL"),
        of("GITLAB_USER_LOGIN", "BUILDKITE_BUILD_CREATOR", "CIRCLE_USERNAME", "BUILD_USER_ID"),
      ]
    : [`${github[0]}/${github[1]}/actions/runs/${github[2]}`, of("GITHUB_TRIGGERING_ACTOR", "GITHUB_ACTOR")];
  if (where !== "") return who === "" ? where : `${who}, ${where}`;
  return `${of("USER", "LOGNAME", "USERNAME") || "somebody"}@${hostname()}`;
}
