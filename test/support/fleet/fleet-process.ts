import type { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";

export interface ShownStack {
  readonly name: string;
  readonly state: string;
  readonly reason: string | null;
  readonly message: string;
  readonly commit: string | null;
  readonly digest: string | null;
  readonly ageSeconds: number | null;
}

export interface ShownEntry {
  readonly at: string;
  readonly stack: string;
  readonly commit: string | null;
  readonly event: string;
  readonly outcome: string;
}

interface LogLine {
  readonly event?: string;
  readonly url?: string;
  readonly stack?: string;
  readonly account?: string;
  readonly message?: string;
  readonly level?: string;
  readonly code?: string;
  readonly tag?: string;
}

export class FleetProcess {
  readonly name: string;
  readonly address: string;
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  said = "";
  over = false;

  constructor(child: ChildProcess, { address, name }: { readonly name: string; readonly address: string }) {
    this.child = child;
    this.name = name;
    this.address = address;
    const hear = (way: Readable | null): void =>
      void way?.setEncoding("utf8").on("data", (text: string) => (this.said += text));
    hear(child.stdout);
    hear(child.stderr);
    this.ended = new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code) => {
        this.over = true;
        resolve(code);
      });
    });
  }

  log(): readonly LogLine[] {
    return this.said.split("\n").flatMap((line) => {
      try {
        return [JSON.parse(line) as LogLine];
      } catch {
        return [];
      }
    });
  }

  events(event: string): readonly LogLine[] {
    return this.said.includes(`"event":"${event}"`) ? this.log().filter((line) => line.event === event) : [];
  }

  /** Waits for something that is said. */
  async until(event: string, count = 1, ms = 250_000): Promise<LogLine> {
    const limit = Date.now() + ms;
    for (;;) {
      const line = this.events(event)[count - 1];
      if (line !== undefined) return line;
      if (this.over || Date.now() > limit) throw new Error(`${this.name} said no ${event}: ${this.said}`);
      await pause(25);
    }
  }

  async ask(path: string): Promise<Response> {
    const { url } = await this.until("serve-started");
    return fetch(new URL(path, url), { signal: AbortSignal.timeout(60_000) });
  }

  async stacks(): Promise<readonly ShownStack[]> {
    const answer = (await (await this.ask("/api/stacks")).json()) as { readonly stacks: readonly ShownStack[] };
    return answer.stacks;
  }

  async history(stack: string): Promise<readonly ShownEntry[]> {
    const answer = await this.ask(`/api/stacks/${encodeURIComponent(stack)}/history?limit=200`);
    if (!answer.ok) throw new Error(`${this.name} answered ${answer.status}: ${await answer.text()}`);
    return ((await answer.json()) as { readonly entries: readonly ShownEntry[] }).entries;
  }
}
