import { type ChildProcess, fork } from "node:child_process";
import { EdgewiseError } from "../core/errors.js";
import { programFile } from "../core/own-files.js";
import { type PolicyReply, type PolicyRequest, evaluatorName, longestAnswerMs } from "./plan-policy.js";

/** Expressions could not be evaluated to the end. */
export class PolicyFailure extends Error {
  override readonly name = "PolicyFailure";

  /** @param policy the index of the policy that was being evaluated; null = none was */
  constructor(
    message: string,
    readonly policy: number | null,
  ) {
    super(message);
  }
}

/** How long an answer may take, and what makes it not wanted any more. */
export interface AskOptions {
  /** How long the evaluation may take, in milliseconds; then the process is killed. */
  readonly deadlineMs?: number;
  /** Aborted when the run is interrupted, which happens before it writes: nothing is judged later. */
  readonly stop?: AbortSignal | undefined;
}

/** A process that evaluates policies. */
interface Evaluator {
  readonly child: ChildProcess;
  readonly heapMb: number;
}

/** An evaluator that has nothing to do, for whoever asks next: starting one takes longer than most plans. */
let idle: Evaluator | null = null;
/** More don't work at the same time. */
const mostAtOnce = 4;
let working = 0;
const waiting: (() => void)[] = [];

/**
 * Has another process evaluate expressions, which may come from people who are not trusted. It has no environment, its memory
 * and time are bounded, and nothing that an expression does can end this process: a text of 200 MB that is split makes V8
 * abort, in whatever thread.
 * @throws PolicyFailure when it is killed, fails, or can't be started; EdgewiseError `interrupted` when it is stopped
 */
export async function askProcess(
  request: PolicyRequest,
  { deadlineMs = longestAnswerMs, stop }: AskOptions = {},
): Promise<PolicyReply> {
  // Whoever ends hands its place on.
  if (working >= mostAtOnce) await new Promise<void>((resolve) => waiting.push(resolve));
  else working += 1;
  let evaluator: Evaluator | null = null;
  try {
    evaluator = take(heapFor(request));
    const reply = await replyOf(evaluator.child, request, { deadlineMs, stop });
    keep(evaluator);
    return reply;
  } catch (error) {
    evaluator?.child.kill("SIGKILL");
    throw error;
  } finally {
    const next = waiting.shift();
    if (next === undefined) working -= 1;
    else next();
  }
}

/** The heap of an evaluator for plans of usual size, in MB. */
const usualHeapMb = 256;

/** The heap that a request may need, in MB: a parsed plan has several times the size of its text. */
function heapFor({ plan }: PolicyRequest): number {
  const megabytes = (plan?.length ?? 0) / (1024 * 1024);
  return megabytes < 10 ? usualHeapMb : usualHeapMb + Math.ceil(megabytes * 12);
}

function take(heapMb: number): Evaluator {
  if (idle !== null && idle.heapMb >= heapMb) {
    const kept = idle;
    idle = null;
    kept.child.removeAllListeners();
    return kept;
  }
  return { child: start(heapMb), heapMb };
}

/** @throws PolicyFailure where no process may be started, such as under Node's permission model */
function start(heapMb: number): ChildProcess {
  try {
    return fork(programFile, [evaluatorName], {
      env: {},
      // Should it be ended while it writes a dump, it does so where it may not.
      cwd: "/",
      execArgv: [`--max-old-space-size=${heapMb}`, "--no-warnings"],
      serialization: "advanced",
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
  } catch (error) {
    throw new PolicyFailure(`the process for it can't be started: ${messageOf(error)}`, null);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function keep(evaluator: Evaluator): void {
  const { child, heapMb } = evaluator;
  child.removeAllListeners();
  if (idle !== null || heapMb > usualHeapMb || !child.connected) {
    child.kill("SIGKILL");
    return;
  }
  // This process may end, and then the evaluator ends, too.
  child.unref();
  child.channel?.unref();
  const forget = (): void => {
    if (idle === evaluator) idle = null;
  };
  child.on("error", forget);
  child.on("exit", forget);
  idle = evaluator;
}

async function replyOf(
  child: ChildProcess,
  request: PolicyRequest,
  { deadlineMs, stop }: AskOptions & { readonly deadlineMs: number },
): Promise<PolicyReply> {
  let running: number | null = null;
  let end = (): void => undefined;
  child.ref();
  child.channel?.ref();
  const reply = new Promise<PolicyReply>((resolve, reject) => {
    const fail = (why: string): void => reject(new PolicyFailure(why, running));
    const interrupt = (): void => {
      reject(new EdgewiseError("interrupted", "interrupted: nothing was changed", { exit: 130 }));
    };
    const failAfter = (ms: number) => setTimeout(() => fail(`it takes longer than ${ms / 1000} s`), ms);
    const whole = failAfter(longestAnswerMs);
    let evaluation: NodeJS.Timeout | undefined;
    end = () => {
      clearTimeout(whole);
      clearTimeout(evaluation);
      stop?.removeEventListener("abort", interrupt);
    };
    child.on("message", (message) => {
      const answer = asReply(message);
      if (!("running" in answer)) return resolve(answer);
      ({ running } = answer);
      // The start of the process is not the time of whoever wrote the policies.
      evaluation ??= failAfter(deadlineMs);
    });
    child.on("error", (error) => fail(`the process for it failed: ${error.message}`));
    child.on("exit", () => fail("the process for it ended; it may have taken too much memory"));
    stop?.addEventListener("abort", interrupt);
    if (stop?.aborted === true) return interrupt();
    // A process that could not be started may have no channel; `error` says why.
    if (child.pid === undefined) return;
    child.send(request, (error) => {
      if (error !== null) fail(`the process for it can't be asked: ${error.message}`);
    });
  });
  return reply.finally(end);
}

/** Our own program wrote it. */
function asReply(message: unknown): PolicyReply {
  return message as PolicyReply;
}
