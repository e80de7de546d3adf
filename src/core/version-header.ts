/** With these, a configuration could have requests say something else. */
const taken: readonly (readonly [pattern: RegExp, meaning: string])[] = [
  [/^(?:(?:proxy-)?authorization|(?:set-)?cookie2?|(?:x-)?api-?key|x-auth-.*)$/, "carries credentials"],
  [
    /^(?:host|:.*|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|proxy-.*|forwarded|x-forwarded-.*)$/,
    "says where a request goes and how",
  ],
  [/^content-.*$/, "describes the body"],
];

export function versionHeaderProblem(name: string): string | null {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/.test(name)) return "is not the name of a header";
  // Some servers take underscores for hyphens.
  const plain = name.toLowerCase().replaceAll("_", "-");
  const found = taken.find(([pattern]) => pattern.test(plain));
  return found === undefined ? null : `may not be ${name}: that header ${found[1]}`;
}
