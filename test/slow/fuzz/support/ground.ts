import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { run } from "../../../../src/commands/run.ts";
import { isObject } from "../../../../src/core/json.ts";
import { memoryIo } from "../../../commands/memory-io.ts";
import { violations } from "../../../schemas/all-schemas.ts";
import { seen, type Canary } from "../../security/support/canaries.ts";
import { pair, richManifests } from "../../security/support/rich-manifests.ts";
import { startService, type Service } from "./service.ts";

export type Report = (what: string) => void;

export interface Outcome {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
}

export const planted = {
  apiKey: "k3y-0f-th3-fuzzer-0123456789",
  hook: "h00k-s3cret-0f-the-fuzzer-987654",
  outside: "0uts1de-the-r00t-0f-the-fuzzer-555",
  hidden: "h1dden-f1le-0f-the-fuzzer-777777",
};

const canaries: readonly Canary[] = [
  ...Object.entries(planted).map(([name, secret]) => ({ name, secret })),
  // The last line is the public key, which the certificate shows as well.
  { name: "private key", secret: pair.key.split("\n").slice(0, 3).join("\n") },
];

/** Exit codes that commands may end with when nobody interrupts them; others 0 and 1. */
const exits: { readonly [command: string]: readonly number[] } = {
  plan: [0, 1, 2, 4],
  apply: [0, 1, 3, 4, 130],
  destroy: [0, 1, 3, 4, 130],
  drift: [0, 1, 2],
  show: [0, 1, 4],
  unlock: [0, 1, 4],
  serve: [0, 1, 2, 4], // with --dry-run: nothing was changed
};

/** `--` may stand before a command. */
const commandIn = (args: readonly string[]): string => args.find((arg) => arg !== "--") ?? "";

function allowedFor(args: readonly string[]): readonly number[] {
  const command = commandIn(args);
  if (command === "serve" && args.includes("--check")) return [0, 1];
  return (Object.hasOwn(exits, command) ? exits[command] : null) ?? [0, 1];
}

/** What everything inherits, as it was when the program started. */
const inherited = snapshot();

function snapshot(): string {
  const all = [Object.prototype, Array.prototype, Function.prototype, String.prototype];
  return JSON.stringify(all.map((each) => Reflect.ownKeys(each).map(String)));
}

export const config =
  "apiVersion: edgewise/v1\nkind: Config\nstack: demo\nmanifests: [edge/]\napi: {timeout: 2s}\nvariables: {v: value, n: 200, m: {a: b}}\n";

const files: { readonly [path: string]: string } = {
  ...richManifests,
  "edgewise.yaml": config,
  "edge/.hidden.yaml": `body: ${planted.hidden}\n`,
};

export class Ground {
  readonly #base = mkdtempSync(join(tmpdir(), "edgewise-fuzz-"));
  readonly dir = join(this.#base, "repository");
  readonly #touched = new Set<string>();
  #resets = 0;
  report: Report = () => undefined;

  private constructor(readonly service: Service) {
    mkdirSync(join(this.#base, "outside"));
    writeFileSync(join(this.#base, "outside", "secret.txt"), `${planted.outside}\n`);
  }

  static async open(): Promise<Ground> {
    return new Ground(await startService());
  }

  reset(): void {
    this.service.begin({}, null);
    // Making all files anew takes longer than most commands.
    if (this.#resets++ % 100 !== 0) {
      for (const path of this.#touched) {
        if (path in files) this.write(path, files[path] ?? "");
        else rmSync(join(this.dir, path), { force: true });
      }
      this.#touched.clear();
      return;
    }
    rmSync(this.dir, { recursive: true, force: true });
    for (const [path, text] of Object.entries(files)) this.write(path, text);
    symlinkSync("../../outside/secret.txt", join(this.dir, "edge", "link.pem"));
    this.#touched.clear();
  }

  write(path: string, content: string | Uint8Array): void {
    this.#touched.add(path);
    mkdirSync(dirname(join(this.dir, path)), { recursive: true });
    writeFileSync(join(this.dir, path), content);
  }

  /** Runs a command and judges how it ended. */
  async go(
    args: readonly string[],
    env: { readonly [name: string]: string } = {},
    patienceMs = 20_000,
  ): Promise<Outcome> {
    const io = memoryIo({
      cwd: this.dir,
      env: {
        EDGEWISE_API_KEY: planted.apiKey,
        EDGEWISE_BASE_URL: this.service.baseUrl,
        HOOK_SECRET: planted.hook,
        CERT_KEY: pair.key,
        ...env,
      },
    });
    // An apply may wait for what never comes. What nothing can hold up is not interrupted because the machine is slow, but
    // when it hangs: then it ends with a wrong code.
    const limit = allowedFor(args).includes(130) ? patienceMs : 200_000;
    const signals = [limit, 2 * limit].map((ms) => setTimeout(() => void io.signal("SIGINT"), ms));
    const exit = await run(args, io).catch((error: unknown) => {
      this.report(`${args.join(" ")} threw ${String(error)}`);
      return 1;
    });
    for (const signal of signals) clearTimeout(signal);
    const outcome = { exit, out: io.out(), err: io.err() };
    this.#judge(args, outcome);
    return outcome;
  }

  #judge(args: readonly string[], { err, exit, out }: Outcome): void {
    const wrong = (what: string): void => this.report(`${args.join(" ").slice(0, 300)}: ${what}`);
    const command = commandIn(args);
    const both = out + err;
    if (!allowedFor(args).includes(exit)) wrong(`ended with ${exit}: ${err.slice(0, 300)}`);
    if (/bug in edgewise/u.test(both)) wrong(`a crash: ${/.*bug in edgewise.*/u.exec(both)?.[0].slice(0, 400) ?? ""}`);
    for (const canary of seen(both, canaries)) wrong(`shows ${canary.slice(0, 60)}`);
    // What is wrong may stand in the file that the result was to be written to.
    if (exit === 1 && both === "" && !args.includes("--output-file")) wrong("failed without a word");
    const mayWrite = command === "apply" || command === "destroy" || command === "unlock";
    if (this.service.writes() > 0 && (!mayWrite || exit === 1 || exit === 4)) wrong(`ended with ${exit} and wrote`);
    if (snapshot() !== inherited) wrong("changed what every object inherits");
    const json = args.indexOf("json");
    const help = command === "help" || args.includes("--help");
    if (json > 0 && args[json - 1] === "-o" && out !== "" && !help) this.#judgeJson(out, wrong);
  }

  #judgeJson(out: string, wrong: (what: string) => void): void {
    let value: unknown;
    try {
      value = JSON.parse(out);
    } catch {
      wrong(`printed what is not JSON: ${out.slice(0, 200)}`);
      return;
    }
    const named = isObject(value) ? /^edgewise\.([a-z-]+)\/v1$/u.exec(String(value["format"]))?.[1] : undefined;
    if (named === undefined) return;
    // Its schema is named for the server that gives it.
    const format = named === "stacks" ? "serve-stacks" : named;
    const [first] = violations(format, value);
    if (first !== undefined) wrong(`printed JSON that breaks ${format}.schema.json: ${first}`);
  }

  async close(): Promise<void> {
    await this.service.close();
    rmSync(this.#base, { recursive: true, force: true });
  }
}
