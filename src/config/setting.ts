import { EdgewiseError } from "../errors.js";

/** A value that a flag or the environment gives, and the name of what gave it. */
export interface Setting {
  readonly value: string;
  /** `--stack` or `EDGEWISE_STACK`. */
  readonly name: string;
  readonly from: "flag" | "environment";
}

/**
 * The flag's value, else that of the environment variable, else null. An empty variable counts as not set, as CI systems
 * set what is missing to nothing; an empty flag was typed, and is an error.
 * @throws EdgewiseError `usage`
 */
export function setting(
  flag: string | undefined,
  flagName: string,
  env: { readonly [name: string]: string | undefined },
  variable: string,
): Setting | null {
  if (flag?.trim() === "") {
    throw new EdgewiseError("usage", `${flagName} is empty`, {
      remedy: `Give it a value, or leave it out. A shell variable that is not set gives an empty one.`,
    });
  }
  if (flag !== undefined) return { value: flag, name: flagName, from: "flag" };
  const value = env[variable]?.trim() ?? "";
  return value === "" ? null : { value, name: variable, from: "environment" };
}

/** The error for a setting that can't be used. */
export function badSetting({ name, from }: Setting, message: string, remedy: string): EdgewiseError {
  return new EdgewiseError(from === "flag" ? "usage" : "config", `${name} ${message}`, { remedy });
}
