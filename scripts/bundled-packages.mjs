/**
 * The packages that are put into dist/bin: every command needs them. The other dependencies are large, are needed by
 * some commands only, and stay where npm puts them.
 */
export const bundledPackages = ["commander", "fast-deep-equal"];
