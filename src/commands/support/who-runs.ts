import { hostname } from "node:os";

type Environment = { readonly [name: string]: string | undefined };

/** Who runs this, from the variables of CI systems: a name, and the page of the run. Else user and machine. */
export function whoRuns(env: Environment): string {
  for (const { who, where } of ciSystems(env)) {
    if (where !== "") return who === "" ? where : `${who}, ${where}`;
  }
  const user = env["USER"] || env["LOGNAME"] || env["USERNAME"] || "somebody";
  return `${user}@${hostname()}`;
}

function ciSystems(env: Environment): readonly { readonly who: string; readonly where: string }[] {
  const of = (name: string): string => env[name] ?? "";
  const joined = (between: string, ...names: readonly string[]): string =>
    names.map(of).includes("") ? "" : names.map(of).join(between);
  const github = joined("/", "GITHUB_SERVER_URL", "GITHUB_REPOSITORY");
  const azure = joined("", "SYSTEM_TEAMFOUNDATIONCOLLECTIONURI", "SYSTEM_TEAMPROJECT");
  return [
    // Who started this attempt, which may be another than who caused the run.
    {
      who: of("GITHUB_TRIGGERING_ACTOR") || of("GITHUB_ACTOR"),
      where: github === "" || of("GITHUB_RUN_ID") === "" ? "" : `${github}/actions/runs/${of("GITHUB_RUN_ID")}`,
    },
    { who: of("GITLAB_USER_LOGIN"), where: of("CI_JOB_URL") },
    { who: of("BUILDKITE_BUILD_CREATOR"), where: of("BUILDKITE_BUILD_URL") },
    { who: of("CIRCLE_USERNAME"), where: of("CIRCLE_BUILD_URL") },
    {
      who: of("BUILD_REQUESTEDFOR"),
      where: azure === "" || of("BUILD_BUILDID") === "" ? "" : `${azure}/_build/results?buildId=${of("BUILD_BUILDID")}`,
    },
    // Jenkins and those that follow it.
    { who: of("BUILD_USER_ID"), where: of("BUILD_URL") },
  ];
}
