import { EdgewiseError } from "../../errors.js";
import type { Io } from "../support/io.js";
import { isKeyLike } from "../../key-like.js";

/**
 * An error as it may be shown, whatever words of the command line it quotes. A word that may be the API key, typed in the
 * wrong place, is not repeated, because logs keep what is printed. A line break in a word is written as `\n`, so that no
 * word can begin a line that looks like one of this program's.
 * @param args the command line
 * @param env its `EDGEWISE_…` variables are words, too
 * @returns the same error where there is nothing to hide
 */
export function withQuotedWords(error: unknown, args: readonly string[], env: Io["env"]): unknown {
  // Errors with problems of their own, like those of a configuration, quote no words.
  if (!(error instanceof EdgewiseError) || Object.getPrototypeOf(error) !== EdgewiseError.prototype) return error;
  const settings = Object.entries(env).filter(([name]) => /^EDGEWISE_(?!VAR_|API_KEY$)/u.test(name));
  const given = [...args, ...settings.map(([, value]) => value ?? "")];
  const words = given.flatMap(partsOf).toSorted((a, b) => b.length - a.length);
  const keys = words.filter(isKeyLike);
  const broken = given.filter((arg) => /[\r\n\u2028\u2029]/u.test(arg));
  if (keys.length + broken.length === 0) return error;
  let hidden = false;
  const inert = (text: string): string => {
    let result = text;
    for (const arg of broken) result = result.replaceAll(arg, () => JSON.stringify(arg).slice(1, -1));
    const open = result;
    for (const key of keys) result = result.replaceAll(key, "(secret)");
    hidden ||= result !== open;
    return result;
  };
  const message = inert(error.message);
  const remedy = error.remedy === null ? null : inert(error.remedy);
  const said = [hidden ? aboutKeys : null, remedy].filter((part) => part !== null).join(" ");
  const shown = new EdgewiseError(error.code, message, { ...error.options, ...(said === "" ? {} : { remedy: said }) });
  shown.stack = inert(error.stack ?? "");
  return shown;
}

const aboutKeys =
  "(secret) stands for a word that may be an API key. If it is one, put it into EDGEWISE_API_KEY: other users and logs can see a command line.";

/** A word, without the dashes of an option, and what follows its `=`. */
function partsOf(arg: string): readonly string[] {
  const word = arg.replace(/^-+/u, "");
  const equals = word.indexOf("=");
  return equals === -1 ? [word] : [word, word.slice(0, equals), word.slice(equals + 1)];
}
