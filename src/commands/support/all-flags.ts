import { EdgewiseError } from "../../errors.js";
import { allFormats } from "../../report/all-stacks-report.js";
import type { AllFlags, PlanFlags } from "./flags.js";
import type { GuardedIo } from "./io.js";

/** What selects one stack, or is one stack's alone. */
const perStack = {
  config: "--config",
  environment: "--environment",
  stack: "--stack",
  file: "--file",
  only: "--only",
  label: "--label",
  out: "--out",
} as const;

const selecting = ["EDGEWISE_CONFIG", "EDGEWISE_ENVIRONMENT", "EDGEWISE_STACK"] as const;

/** @throws EdgewiseError `usage` or `config` for a flag, a variable or a format that does not go with `--all` */
export function refuseSelection(flags: PlanFlags, { env }: GuardedIo): void {
  const flag = Object.entries(perStack).find(([name]) => Object.entries(flags).some(([given]) => given === name));
  if (flag !== undefined) {
    throw new EdgewiseError("usage", `${flag[1]} can't be used with --all, which runs for every stack`, {
      remedy: `Leave out --all or ${flag[1]}. \`edgewise stacks\` shows the flags that select each stack.`,
    });
  }
  const variable = selecting.find((name) => env[name] !== undefined);
  if (variable !== undefined) {
    throw new EdgewiseError("config", `${variable} is set, but --all runs for every stack`, {
      remedy: `Unset ${variable}, or leave out --all.`,
    });
  }
  if (flags.output !== undefined && !allFormats.some((format) => format === flags.output)) {
    throw new EdgewiseError("usage", `--output ${flags.output} can't be used with --all`, {
      remedy: `Use ${allFormats.join(", ")}, or run the command for each stack that \`edgewise stacks\` lists.`,
    });
  }
}

/** @throws EdgewiseError `usage` for `--changed-since` without `--all` */
export function refuseChangedSince({ all, changedSince }: AllFlags): void {
  if (all === true || changedSince === undefined) return;
  throw new EdgewiseError("usage", "--changed-since selects stacks, so it needs --all", {
    remedy: "Add --all. To see who changed what in one stack, use --base.",
  });
}
