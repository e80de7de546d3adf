import { EdgewiseError, misuse } from "../core/errors.js";
import type { ConfigInput } from "./config.js";

export type Setting = Readonly<{
  value: string;
  name: string;
  from: "flag" | "environment";
}>;

const variables = {
  config: "EDGEWISE_CONFIG",
  environment: "EDGEWISE_ENVIRONMENT",
  stack: "EDGEWISE_STACK",
  baseUrl: "EDGEWISE_BASE_URL",
  versionHeader: "EDGEWISE_VERSION_HEADER",
} as const;

/** CI systems set missing variables to nothing; the file alone would then decide where the API key is sent. */
export function refuseEmptyVariables(env: ConfigInput["env"]): void {
  const empty = Object.values(variables).filter((name) => env[name]?.trim() === "");
  if (empty.length === 0) return;
  const remedy = "Give it a value, or unset it. In CI, check that this job may read the variable.";
  throw new EdgewiseError("config", `${empty.join(", ")} ${empty.length === 1 ? "is" : "are"} set but empty`, {
    remedy,
  });
}

export function setting(
  member: keyof typeof variables,
  { env, flags }: Pick<ConfigInput, "env" | "flags">,
): Setting | null {
  const [flag, variable] = [flags[member], variables[member]];
  const flagName = `--${member.replace(/[A-Z]/u, (letter) => `-${letter.toLowerCase()}`)}`;
  if (flag?.trim() === "") throw misuse(`${flagName} is empty`, "Give it a value, or leave it out.");
  if (flag !== undefined) return { value: flag, name: flagName, from: "flag" };
  const value = env[variable]?.trim();
  if (value === "") refuseEmptyVariables({ [variable]: "" });
  return value === undefined ? null : { value, name: variable, from: "environment" };
}

export function badSetting({ name, from }: Setting, message: string, remedy: string): EdgewiseError {
  return new EdgewiseError(from === "flag" ? "usage" : "config", `${name} ${message}`, { remedy });
}
