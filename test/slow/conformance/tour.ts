// oxlint-disable vitest/no-standalone-expect -- a chapter is called by tests alone, and expects on their behalf.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { run } from "../../../src/commands/run.ts";
import { type Json, type JsonObject, isObject } from "../../../src/core/json.ts";
import type { ListedKind } from "../../../src/kinds/names.ts";
import type { Plan } from "../../../src/plan/plan-format.ts";
import type { Sandbox, SandboxOptions } from "../../../src/sandbox/sandbox-options.ts";
import { startSandbox } from "../../../src/sandbox/start-sandbox.ts";
import type { Ended } from "../../support/cli.ts";
import { memoryIo } from "../../commands/memory-io.ts";
import { type Recorded, type Recorder, startRecorder } from "./recorder.ts";

export interface Told {
  readonly plan: Plan;
  /** The writes that the service received, in short form: `PATCH /edges/tls/<id>`; sorted where the order is free. */
  readonly writes: readonly string[];
  readonly bodies: { readonly [write: string]: Json };
}

export class Tour {
  private constructor(
    readonly dir: string,
    readonly sandbox: Sandbox,
    readonly recorder: Recorder,
  ) {}

  static async begin(options: SandboxOptions = {}): Promise<Tour> {
    const dir = await mkdtemp(join(tmpdir(), "edgewise-tour-"));
    const sandbox = await startSandbox({ seed: "tour", apiKey: "key-of-the-tour", ...options });
    return new Tour(dir, sandbox, await startRecorder(sandbox.baseUrl));
  }

  async end(): Promise<void> {
    await this.recorder.close();
    await this.sandbox.close();
    await rm(this.dir, { recursive: true, force: true });
  }

  /**
   * A chapter: this becomes the whole desired state. The plan must have changes and write nothing; the apply must do
   * it; a plan at rest must find nothing with lists alone, and a second apply must write nothing.
   */
  async chapter(manifests: string, ...flags: readonly string[]): Promise<Told> {
    await this.desire(manifests);
    const planned = await this.inMemory("plan", "--detailed-exitcode", "-o", "json", ...flags);
    expect(planned.exit, planned.err + planned.out).toBe(2);
    expect(onlyReads(this.recorder.take())).toEqual([]);
    const applied = await this.inMemory("apply", "-y", "-o", "json", ...flags);
    expect(applied.exit, applied.err + applied.out).toBe(0);
    expect(JSON.parse(applied.out)).toMatchObject({ outcome: "applied", verified: true });
    const said = this.recorder.take().filter(({ method }) => method !== "GET");
    await this.atRest(...flags);
    return {
      plan: JSON.parse(planned.out) as Plan,
      writes: said.map(({ method, path }) => `${method} ${path}`),
      bodies: Object.fromEntries(said.map(({ method, path, body }) => [`${method} ${path}`, body])),
    };
  }

  async atRest(...flags: readonly string[]): Promise<void> {
    const planned = await this.inMemory("plan", "--detailed-exitcode", ...flags);
    expect(planned.exit, planned.out).toBe(0);
    expect(onlyReads(this.recorder.take())).toEqual([]);
    const applied = await this.inMemory("apply", "-y", "-o", "json", ...flags);
    expect(applied.exit, applied.err).toBe(0);
    expect(JSON.parse(applied.out)).toMatchObject({ outcome: "nothing" });
    expect(onlyReads(this.recorder.take())).toEqual([]);
  }

  async desire(manifests: string): Promise<void> {
    await this.write("edge/all.yaml", manifests);
  }

  async write(path: string, text: string): Promise<void> {
    await mkdir(dirname(join(this.dir, path)), { recursive: true });
    await writeFile(join(this.dir, path), text);
  }

  async inMemory(...args: readonly string[]): Promise<Ended> {
    const io = memoryIo({ cwd: this.dir, env: this.#env });
    const exit = await run(args, io);
    return { exit, out: io.out(), err: io.err() };
  }

  byHand(method: string, path: string, body?: Json): JsonObject {
    const { status, body: answer } = this.sandbox.direct({ method, path, ...(body === undefined ? {} : { body }) });
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answer)}`);
    return isObject(answer) ? answer : {};
  }

  list(kind: ListedKind): readonly JsonObject[] {
    return this.sandbox.world().lists[kind];
  }

  get #env(): { readonly [name: string]: string } {
    return {
      EDGEWISE_API_KEY: this.sandbox.apiKey,
      EDGEWISE_BASE_URL: this.recorder.baseUrl,
      HOOK_SECRET: "s3cr3t-of-the-hook",
    };
  }
}

function onlyReads(requests: readonly Recorded[]): readonly string[] {
  return requests.filter(({ method }) => method !== "GET").map(({ method, path }) => `${method} ${path}`);
}
