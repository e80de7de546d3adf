/**
 * The packages that are bundled into dist/bin: those that every command needs, those that are so small that finding them
 * takes longer than loading them, and the part of undici that is needed before the first request. The other dependencies are large and only some commands need them; npm installs
 * them.
 */
export const bundledPackages = ["commander", "fast-deep-equal", "tinyqueue", "undici"];
