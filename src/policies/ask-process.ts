import { type ChildProcess, fork } from "node:child_process";
import { EdgewiseError } from "../core/errors.js";
import { programFile } from "../core/own-files.js";
import { Semaphore } from "../core/semaphore.js";
import { type Judgement, type PolicyReply, type PolicyRequest, evaluatorName, longestAnswerMs } from "./plan-policy.js";

export class PolicyFailure extends Error {
  override readonly name = "PolicyFailure";

  /** `policy`: the index of the one that was being evaluated; null = none was. */
  constructor(
    message: string,
    readonly policy: number | null,
  ) {
    super(message);
  }
}

export type AskOptions = Readonly<{
  deadlineMs?: number;
  stop?: AbortSignal | undefined;
}>;

const permits = new Semaphore(4);

/**
 * In a process without an environment and with bounded memory and time: no expression can end this one.
 * @throws PolicyFailure, EdgewiseError `interrupted`
 */
export async function askProcess(request: PolicyRequest, options: AskOptions = {}): Promise<Judgement> {
  await permits.acquire();
  let child: ChildProcess | null = null;
  try {
    child = start(request);
    return await replyOf(child, request, options);
  } finally {
    child?.kill("SIGKILL");
    permits.release();
  }
}

function start({ plan }: PolicyRequest): ChildProcess {
  const planMb = (plan?.length ?? 0) / (1024 * 1024);
  const heapMb = 256 + (planMb < 10 ? 0 : Math.ceil(planMb * 12));
  try {
    return fork(programFile, [evaluatorName], {
      env: {},
      // It may write no dump there.
      cwd: "/",
      execArgv: [`--max-old-space-size=${heapMb}`, "--no-warnings"],
      serialization: "advanced",
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
  } catch (error) {
    throw new PolicyFailure(`the process for it can't be started: ${String(error)}`, null);
  }
}

async function replyOf(
  child: ChildProcess,
  request: PolicyRequest,
  { deadlineMs = longestAnswerMs, stop }: AskOptions,
): Promise<Judgement> {
  const timers: NodeJS.Timeout[] = [];
  let interrupt = (): void => undefined;
  const reply = new Promise<Judgement>((resolve, reject) => {
    let running: number | null = null;
    const fail = (why: string): void => reject(new PolicyFailure(why, running));
    const failAfter = (ms: number): void => {
      timers.push(setTimeout(() => fail(`it takes longer than ${ms / 1000} s`), ms));
    };
    interrupt = () => reject(new EdgewiseError("interrupted", "interrupted: nothing was changed", { exit: 130 }));
    failAfter(longestAnswerMs);
    child.on("message", (answer: PolicyReply) => {
      if (!("running" in answer)) return resolve(answer);
      if (running === null) failAfter(deadlineMs);
      ({ running } = answer);
    });
    child.on("error", (error) => fail(`the process for it failed: ${error.message}`));
    child.on("exit", () => fail("the process for it ended; it may have taken too much memory"));
    stop?.addEventListener("abort", interrupt);
    if (stop?.aborted === true) return interrupt();
    if (child.pid === undefined) return;
    child.send(request, (error) => {
      if (error !== null) fail(`the process for it can't be asked: ${error.message}`);
    });
  });
  return reply.finally(() => {
    for (const timer of timers) clearTimeout(timer);
    stop?.removeEventListener("abort", interrupt);
  });
}
