import { EdgewiseError, misuse } from "../core/errors.js";
import type { ConfigInput } from "./config.js";

export type Setting = Readonly<{
  value: string;
  name: string;
  from: "flag" | "environment";
}>;

const variables = [
  "EDGEWISE_CONFIG",
  "EDGEWISE_ENVIRONMENT",
  "EDGEWISE_STACK",
  "EDGEWISE_BASE_URL",
  "EDGEWISE_VERSION_HEADER",
] as const;

/** CI systems set missing variables to nothing; the file alone would then decide where the API key is sent. */
export function refuseEmptyVariables(env: ConfigInput["env"]): void {
  const empty = variables.filter((name) => env[name]?.trim() === "");
  if (empty.length === 0) return;
  const remedy = "Give it a value, or unset it. In CI, check that this job may read the variable.";
  throw new EdgewiseError("config", `${empty.join(", ")} ${empty.length === 1 ? "is" : "are"} set but empty`, {
    remedy,
  });
}

export function setting(
  flag: string | undefined,
  flagName: string,
  env: ConfigInput["env"],
  variable: (typeof variables)[number],
): Setting | null {
  if (flag?.trim() === "") throw misuse(`${flagName} is empty`, "Give it a value, or leave it out.");
  if (flag !== undefined) return { value: flag, name: flagName, from: "flag" };
  const value = env[variable]?.trim();
  if (value === "") refuseEmptyVariables({ [variable]: "" });
  return value === undefined ? null : { value, name: variable, from: "environment" };
}

export function badSetting({ name, from }: Setting, message: string, remedy: string): EdgewiseError {
  return new EdgewiseError(from === "flag" ? "usage" : "config", `${name} ${message}`, { remedy });
}
