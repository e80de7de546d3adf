import type { Io } from "../io.js";

/** Runs a command once its flags are parsed: `start` imports and calls it with the Io that the flags ask for. */
export type StartCommand = (flags: object, start: (io: Io) => Promise<number>) => Promise<void>;
