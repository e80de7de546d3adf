/** A name with a short extension, or a path. */
const fileName = /\/|\\|\.[A-Za-z]{1,5}$/u;

/**
 * Whether a word may be an API key: 20 characters or more without what paths have, and a long part in which letters and
 * digits mix. Commit ids, checksums and other hexadecimal words are none, and neither are names of words, like
 * `fix-1234-the-edge`.
 */
export function isKeyLike(word: string): boolean {
  if (/^(?:sha\d{1,3}[:-])?[0-9a-f]*$/iu.test(word)) return false;
  if (word.length < 20 || /[\s~*?{}]/u.test(word) || fileName.test(word)) return false;
  const parts = word.split(/[^A-Za-z0-9]+/u).filter((part) => !/^[0-9a-f]*$/iu.test(part) && /\d/u.test(part));
  return parts.some((part) => part.length >= 16) || isIrregular(word);
}

/** Whether small letters, capitals and digits change places as often as they do by chance, and not as in `EuWest1`. */
function isIrregular(word: string): boolean {
  const letters = [...word].filter((letter) => /[A-Za-z0-9]/u.test(letter));
  if (letters.length < 20) return false;
  const sorts = letters.map((letter) =>
    /\d/u.test(letter) ? "digit" : letter === letter.toLowerCase() ? "small" : "capital",
  );
  const changes = sorts.filter((sort, at) => {
    const before = sorts[at - 1] ?? sort;
    return sort !== before && !(before === "capital" && sort === "small");
  });
  return sorts.includes("digit") && changes.length / letters.length >= 0.3 && !/^[0-9a-f_:-]*$/iu.test(word);
}
