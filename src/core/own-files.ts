// The build gives both bundles a version of this module of their own: see scripts/build.mjs.

export const programFile = new URL("../../dist/bin/edgewise.js", import.meta.url);

/** The program as one file, for repositories; it may be the file that runs. */
export const singleFile = new URL("../../dist/edgewise.mjs", import.meta.url);
