import { EdgewiseError } from "../errors.js";

/**
 * The variables that `--var NAME=VALUE` sets; values are text. The last of several for one name wins.
 * @throws EdgewiseError `usage`; the value, which may be meant for nobody's eyes, is not in the message
 */
export function parseVariables(flags: readonly string[]): { readonly [name: string]: string } {
  const entries = flags.map((flag): readonly [string, string] => {
    const equals = flag.indexOf("=");
    const name = equals === -1 ? flag : flag.slice(0, equals);
    if (equals === -1) {
      throw new EdgewiseError("usage", "--var needs a name and a value", { remedy: "Write --var NAME=VALUE." });
    }
    if (!/^[A-Za-z_][A-Za-z0-9_-]*$/.test(name)) {
      throw new EdgewiseError("usage", `--var ${JSON.stringify(name)} is no name of a variable`, {
        remedy: "Names hold letters, digits, '_' and '-' and don't begin with a digit or '-'.",
      });
    }
    return [name, flag.slice(equals + 1)];
  });
  return Object.fromEntries(entries);
}
