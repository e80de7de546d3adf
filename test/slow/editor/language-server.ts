import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(import.meta.url);

interface Position {
  readonly line: number;
  readonly character: number;
}

export interface ShownDiagnostic {
  readonly message: string;
  readonly range: { readonly start: Position; readonly end: Position };
}

export interface CompletionItem {
  readonly label: string;
  readonly insertText?: string;
  readonly documentation?: string | { readonly value: string };
}

export interface OpenFile {
  readonly uri: string;
  readonly text: string;
}

export class LanguageServer {
  #pending = Buffer.alloc(0);
  #lastId = 0;
  readonly #answers = new Map<number, (result: unknown) => void>();
  readonly #diagnostics = new Map<string, (found: readonly ShownDiagnostic[]) => void>();

  private constructor(
    private readonly server: ChildProcessWithoutNullStreams,
    private readonly settings: { readonly [section: string]: unknown },
  ) {
    server.stdout.on("data", (chunk: Buffer) => this.#read(chunk));
  }

  static async start(
    workspace: string,
    schemas: { readonly [schema: string]: string | readonly string[] } = {},
  ): Promise<LanguageServer> {
    const program = require.resolve("yaml-language-server/bin/yaml-language-server");
    const server = spawn(process.execPath, [program, "--stdio"], { cwd: workspace, stdio: ["pipe", "pipe", "pipe"] });
    const yaml = {
      schemas,
      validate: true,
      completion: true,
      schemaStore: { enable: false },
      kubernetesCRDStore: { enable: false },
    };
    const started = new LanguageServer(server, { yaml });
    const uri = pathToFileURL(workspace).href;
    await started.#ask("initialize", {
      processId: process.pid,
      rootUri: uri,
      workspaceFolders: [{ uri, name: "workspace" }],
      capabilities: {
        workspace: { configuration: true, workspaceFolders: true },
        textDocument: {
          completion: { completionItem: { snippetSupport: true, documentationFormat: ["markdown"] } },
          publishDiagnostics: {},
        },
      },
    });
    started.#send({ method: "initialized", params: {} });
    started.#send({ method: "workspace/didChangeConfiguration", params: { settings: { yaml } } });
    return started;
  }

  async stop(): Promise<void> {
    const ended = new Promise<void>((resolve) => this.server.once("exit", () => resolve()));
    this.server.kill("SIGKILL");
    await ended;
  }

  async diagnostics({ uri: named, text }: OpenFile): Promise<readonly ShownDiagnostic[]> {
    const uri = this.#unique(named);
    const found = new Promise<readonly ShownDiagnostic[]>((resolve) => this.#diagnostics.set(uri, resolve));
    this.#send({
      method: "textDocument/didOpen",
      params: { textDocument: { uri, languageId: "yaml", version: 1, text } },
    });
    const shown = await found;
    this.#close(uri);
    return shown;
  }

  async completions(file: OpenFile): Promise<readonly CompletionItem[]> {
    const result = await this.#at("textDocument/completion", file);
    const items: unknown = Array.isArray(result) ? result : (result as { readonly items?: unknown } | null)?.items;
    return Array.isArray(items) ? (items as CompletionItem[]) : [];
  }

  async #at(method: string, { uri: named, text: marked }: OpenFile): Promise<unknown> {
    const uri = this.#unique(named);
    const at = marked.indexOf("|");
    const before = marked.slice(0, at);
    const text = before + marked.slice(at + 1);
    this.#send({
      method: "textDocument/didOpen",
      params: { textDocument: { uri, languageId: "yaml", version: 1, text } },
    });
    const lines = before.split("\n");
    const position = { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
    const result = await this.#ask(method, { textDocument: { uri }, position });
    this.#close(uri);
    return result;
  }

  /** A name for one use: what the server says of a file that was closed may come when it is open again. */
  #unique(uri: string): string {
    this.#lastId += 1;
    return uri.replace(/(?=\.ya?ml$)/, `.${this.#lastId}`);
  }

  #close(uri: string): void {
    this.#send({ method: "textDocument/didClose", params: { textDocument: { uri } } });
  }

  async #ask(method: string, params: unknown): Promise<unknown> {
    this.#lastId += 1;
    const id = this.#lastId;
    const answer = new Promise<unknown>((resolve) => this.#answers.set(id, resolve));
    this.#send({ id, method, params });
    return answer;
  }

  #send(message: object): void {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    this.server.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }

  #read(chunk: Buffer): void {
    this.#pending = Buffer.concat([this.#pending, chunk]);
    for (;;) {
      const head = this.#pending.indexOf("\r\n\r\n");
      if (head === -1) return;
      const length = Number(/Content-Length: (\d+)/i.exec(this.#pending.subarray(0, head).toString())?.[1]);
      const end = head + 4 + length;
      if (this.#pending.length < end) return;
      const message = JSON.parse(this.#pending.subarray(head + 4, end).toString("utf8"));
      this.#pending = this.#pending.subarray(end);
      this.#take(message);
    }
  }

  #take({ id, method, params, result }: Message): void {
    if (method === undefined) {
      if (id !== undefined) this.#answers.get(id)?.(result);
    } else if (id !== undefined) {
      const items: readonly { readonly section?: string }[] = params?.items ?? [];
      const answer =
        method === "workspace/configuration" ? items.map(({ section }) => this.settings[section ?? ""] ?? null) : null;
      this.#send({ id, result: answer });
    } else if (method === "textDocument/publishDiagnostics" && params?.uri !== undefined) {
      this.#diagnostics.get(params.uri)?.(params.diagnostics ?? []);
      this.#diagnostics.delete(params.uri);
    }
  }
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly result?: unknown;
  readonly params?: {
    readonly uri?: string;
    readonly diagnostics?: readonly ShownDiagnostic[];
    readonly items?: readonly { readonly section?: string }[];
  };
}
