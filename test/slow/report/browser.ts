import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { Readable, Writable } from "node:stream";

export function findChromium(): string | null {
  const names = ["chromium", "chromium-browser", "google-chrome"];
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find((path) => existsSync(path)) ?? null;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly [name: string]: unknown };
  readonly result?: { readonly [name: string]: unknown };
  readonly error?: { readonly message: string };
}

export class Browser {
  readonly events: Message[] = [];
  readonly #process: ChildProcess;
  readonly #profile = mkdtempSync(join(tmpdir(), "edgewise-chromium-"));
  readonly #waiting = new Map<
    number,
    { readonly resolve: (message: Message) => void; readonly reject: (error: Error) => void }
  >();
  readonly #ended: Promise<void>;
  #session: string | undefined;
  #target: unknown;
  #next = 1;

  constructor(path: string) {
    const quiet = [
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ];
    this.#process = spawn(
      path,
      [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        ...quiet,
        `--user-data-dir=${this.#profile}`,
        "--remote-debugging-pipe",
      ],
      // A process group of its own, so that its helpers end with it.
      { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"], detached: true },
    );
    this.#ended = new Promise((resolve) => this.#process.once("exit", () => resolve()));
    this.#process.once("error", (error) => this.#fail(error));
    this.#process.once("exit", () => this.#fail(new Error("the browser ended")));
    let rest = "";
    (this.#process.stdio[4] as Readable).setEncoding("utf8").on("data", (chunk: string) => {
      const parts = (rest + chunk).split("\0");
      rest = parts.pop() ?? "";
      for (const part of parts) this.#receive(JSON.parse(part) as Message);
    });
  }

  async open(url: string): Promise<void> {
    this.#session = undefined;
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
    if (this.#target !== undefined) await this.send("Target.closeTarget", { targetId: this.#target });
    this.#target = targetId;
    this.events.length = 0;
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    this.#session = String(sessionId);
    for (const domain of ["Page", "Log", "Runtime", "Network"]) await this.send(`${domain}.enable`);
    await this.goTo(url);
  }

  async goTo(url: string): Promise<void> {
    await this.send("Page.navigate", { url });
    // Between two pages there is none to be asked.
    const isOpen = async (): Promise<boolean> => {
      const shown = await this.evaluate("document.readyState + location.href").catch((error: unknown) => {
        if (this.#process.exitCode !== null) throw error;
      });
      return shown === `complete${url}`;
    };
    while (!(await isOpen())) await new Promise((resolve) => setTimeout(resolve, 20));
  }

  async evaluate(expression: string): Promise<unknown> {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", { expression, returnByValue: true });
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails));
    return (result as { readonly value?: unknown }).value;
  }

  async send(method: string, params: object = {}): Promise<{ readonly [name: string]: unknown }> {
    const id = this.#next++;
    const answer = new Promise<Message>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    const message = { id, method, params, ...(this.#session === undefined ? {} : { sessionId: this.#session }) };
    (this.#process.stdio[3] as Writable).write(`${JSON.stringify(message)}\0`);
    const { result, error } = await answer;
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result ?? {};
  }

  async close(): Promise<void> {
    const { pid } = this.#process;
    if (pid !== undefined && this.#process.exitCode === null) process.kill(-pid, "SIGKILL");
    await this.#ended;
    // A helper that outlives the browser for a moment may still write into the profile.
    for (let tries = 1; existsSync(this.#profile); tries += 1) {
      try {
        rmSync(this.#profile, { recursive: true, force: true, maxRetries: 5 });
      } catch (error) {
        if (tries === 20) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }

  #receive(message: Message): void {
    if (message.id === undefined) this.events.push(message);
    else this.#waiting.get(message.id)?.resolve(message);
  }

  #fail(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
  }
}
