import { hostname } from "node:os";

/** Who runs this, from the variables of CI systems: a name, and the page of the run. Else user and machine. */
export function whoRuns(env: { readonly [name: string]: string | undefined }): string {
  const of = (name: string): string => env[name] ?? "";
  const all = (...names: readonly string[]): readonly string[] | null =>
    names.map(of).includes("") ? null : names.map(of);
  const github = all("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID");
  const azure = all("SYSTEM_TEAMFOUNDATIONCOLLECTIONURI", "SYSTEM_TEAMPROJECT", "BUILD_BUILDID");
  const runs: readonly (readonly [where: string, who: string])[] = [
    // Who started this attempt, which may be another than who caused the run.
    [
      github?.join("/").replace(/\/(?=\d+$)/u, "/actions/runs/") ?? "",
      of("GITHUB_TRIGGERING_ACTOR") || of("GITHUB_ACTOR"),
    ],
    [of("CI_JOB_URL"), of("GITLAB_USER_LOGIN")],
    [of("BUILDKITE_BUILD_URL"), of("BUILDKITE_BUILD_CREATOR")],
    [of("CIRCLE_BUILD_URL"), of("CIRCLE_USERNAME")],
    [azure === null ? "" : `${azure[0]}${azure[1]}/_build/results?buildId=${azure[2]}`, of("BUILD_REQUESTEDFOR")],
    // Jenkins and those that follow it.
    [of("BUILD_URL"), of("BUILD_USER_ID")],
  ];
  const [where, who] = runs.find(([page]) => page !== "") ?? [];
  if (where !== undefined) return who ? `${who}, ${where}` : where;
  return `${of("USER") || of("LOGNAME") || of("USERNAME") || "somebody"}@${hostname()}`;
}
