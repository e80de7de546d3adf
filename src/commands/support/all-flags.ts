import { checkBaseUrl } from "../../config/api-config.js";
import { EdgewiseError } from "../../core/errors.js";
import { allFormats } from "../../report/stacks-report.js";
import type { AllFlags, PlanFlags } from "./command-options.js";
import type { GuardedIo } from "./io.js";
import type { SelectedStack } from "./find-stacks.js";

/** What selects one stack, or is one stack's alone. */
const perStack = {
  config: "--config",
  environment: "--environment",
  stack: "--stack",
  file: "--file",
  only: "--only",
  exclude: "--exclude",
  label: "--label",
  out: "--out",
  offline: "--offline",
  // Which stacks there are is read from the disk.
  ref: "--ref",
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

/**
 * The API key goes to one origin, unless flags name each: a new configuration must not be able to send it elsewhere.
 * With `EDGEWISE_BASE_URL`, each stack's configuration is held to that when it is loaded.
 * @param stacks all of them, whether they run or not
 * @throws EdgewiseError `config`
 */
export function checkOrigins(
  stacks: readonly Pick<SelectedStack, "baseUrl" | "config">[],
  flags: PlanFlags & AllFlags,
  { env }: GuardedIo,
): void {
  if ((flags.baseUrl ?? env["EDGEWISE_BASE_URL"]) !== undefined) return;
  const configs = new Map<string, string>();
  for (const { baseUrl, config } of stacks.toReversed()) {
    if (baseUrl !== null) configs.set(new URL(baseUrl).origin, config);
  }
  const allowed = flags.allowOrigin?.map(originOf) ?? (configs.size === 1 ? [...configs.keys()] : []);
  const others = [...configs].filter(([origin]) => !allowed.includes(origin)).toReversed();
  if (others.length === 0) return;
  const named = others.map(([origin, config]) => `${origin} (${config})`).join(", ");
  throw new EdgewiseError("config", `nothing says that the API key may be sent to ${named}`, {
    remedy: `Set EDGEWISE_BASE_URL to the one address that the key is for, or give ${others.map(([origin]) => `--allow-origin ${origin}`).join(" ")}.`,
  });
}

function originOf(url: string): string {
  const checked = checkBaseUrl(url, true);
  if ("origin" in checked) return checked.origin;
  throw new EdgewiseError("usage", `--allow-origin ${checked.problem}`, { remedy: checked.remedy });
}

/** @throws EdgewiseError `usage` for a flag that needs `--all`, without it */
export function refuseWithoutAll({ all, allowOrigin, changedSince }: AllFlags): void {
  if (all === true) return;
  if (allowOrigin !== undefined) {
    throw new EdgewiseError("usage", "--allow-origin needs --all", {
      remedy: "Add --all, or leave it out: one stack sends the key only to its own base URL.",
    });
  }
  if (changedSince === undefined) return;
  throw new EdgewiseError("usage", "--changed-since selects stacks, so it needs --all", {
    remedy: "Add --all. To see who changed what in one stack, use --base.",
  });
}
