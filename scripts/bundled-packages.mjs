/**
 * The packages that are put into dist/bin: those that every command needs, and those that are smaller than the search
 * for them. The other dependencies are large, are needed by some commands only, and stay where npm puts them.
 */
export const bundledPackages = ["commander", "fast-deep-equal", "tinyqueue"];
