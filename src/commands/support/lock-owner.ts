import { hostname } from "node:os";
import type { LockOwner } from "../../lock/account-lock.js";
import { randomUUID } from "node:crypto";
import { type CommandContext, requireStack } from "./command-context.js";

type Environment = { readonly [name: string]: string | undefined };

/** Whose lock a run takes. What it says is data in the service that others read: every known secret is masked. */
export function lockOwner(context: CommandContext): LockOwner {
  const { io } = context;
  return { stack: requireStack(context), run: randomUUID(), by: io.redactor.redact(whoRuns(io.env)) };
}

/** Who runs this, from the variables of CI systems: somebody, and the page of the run. Else user and machine. */
export function whoRuns(env: Environment): string {
  for (const { who, where } of ciSystems(env)) {
    if (where !== "") return who === "" ? where : `${who}, ${where}`;
  }
  const user = env["USER"] ?? env["LOGNAME"] ?? env["USERNAME"] ?? "";
  return `${user === "" ? "somebody" : user}@${hostname()}`;
}

function ciSystems(env: Environment): readonly { readonly who: string; readonly where: string }[] {
  const of = (name: string): string => env[name] ?? "";
  const [server, repository, run] = [of("GITHUB_SERVER_URL"), of("GITHUB_REPOSITORY"), of("GITHUB_RUN_ID")];
  const github = [server, repository, run].includes("") ? "" : `${server}/${repository}/actions/runs/${run}`;
  const [collection, project, build] = [
    of("SYSTEM_TEAMFOUNDATIONCOLLECTIONURI"),
    of("SYSTEM_TEAMPROJECT"),
    of("BUILD_BUILDID"),
  ];
  const azure = [collection, project, build].includes("")
    ? ""
    : `${collection}${project}/_build/results?buildId=${build}`;
  return [
    // Who started this attempt, which may be somebody else than who caused the run.
    { who: of("GITHUB_TRIGGERING_ACTOR") || of("GITHUB_ACTOR"), where: github },
    { who: of("GITLAB_USER_LOGIN"), where: of("CI_JOB_URL") },
    { who: of("BUILDKITE_BUILD_CREATOR"), where: of("BUILDKITE_BUILD_URL") },
    { who: of("CIRCLE_USERNAME"), where: of("CIRCLE_BUILD_URL") },
    { who: of("BUILD_REQUESTEDFOR"), where: azure },
    // Jenkins and those that follow it.
    { who: of("BUILD_USER_ID"), where: of("BUILD_URL") },
  ];
}
