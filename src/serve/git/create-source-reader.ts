import { limits } from "../../core/limits.js";
import type { GitHost } from "../../git/git-program.js";
import { runGit } from "../../git/run-git.js";
import type { FleetSource, SecretSource } from "../fleet/fleet.js";
import type { SourceRecord } from "../records.js";
import { approvalRefs, listRefs, readApprovalTags } from "./approval-tags.js";
import { checkDescent, checkSigned } from "./check-tip.js";
import { type OpenClone, createCloneStore } from "./clone-store.js";
import { originOf } from "./clone.js";
import type { FetchNeeds } from "./fetch-environment.js";
import { type FetchBounds, FetchProblem, asProblem, fetchCommit, fetchTip, refused } from "./fetch-tip.js";
import { checkLocalSource } from "./local-source.js";
import { sourceAddress } from "./source-address.js";
import type { ApprovalReader, SourceReader } from "./source-reader.js";

export interface SourceReaderOptions {
  readonly directory: string;
  readonly host: GitHost;
  readonly now: () => number;
  /** @throws EdgewiseError */
  readonly readSecret: (source: SecretSource) => Promise<string>;
  readonly killGroup: (leader: number) => void;
  readonly deadline?: number;
  readonly maxBytes?: number;
}

const briefMs = 60_000;

/** For so many waiting stacks a poll looks for approvals; each one's own look does so in any case. */
const mostListed = 200;

type Known = Pick<Required<SourceRecord>, "followed" | "tip" | "fetchedAt" | "checked">;

const nothing: Known = { followed: null, tip: null, fetchedAt: null, checked: null };

interface Fetch {
  readonly source: FleetSource;
  readonly configs: readonly string[];
  readonly opened: OpenClone;
  readonly bounds: FetchBounds;
  readonly known: Known;
  readonly learn: (known: Partial<Known>) => void;
}

/** A reader of sources on bare clones: each holds one branch or tag with its history. */
export function createSourceReader(options: SourceReaderOptions): SourceReader & ApprovalReader {
  const { host, now, readSecret, killGroup } = options;
  const closing = new AbortController();
  const ends = { deadline: options.deadline ?? 600_000, killGroup };
  const store = createCloneStore({ ...options, ends: { ...ends, signal: closing.signal } });
  const boundsOf = (signals: readonly AbortSignal[]): FetchBounds => {
    const signal = AbortSignal.any([...signals, closing.signal]);
    return { ...ends, maxBytes: options.maxBytes ?? limits.fetchBytes, signal };
  };

  const needsOf = async ({ credentials, git }: FleetSource, { clone }: OpenClone): Promise<FetchNeeds> => {
    const address = sourceAddress(git);
    if ("problem" in address) throw refused(address);
    const secret = credentials === null ? null : (await readSecret(credentials)).trim();
    const local = address.protocol === "file" ? await checkLocalSource(address, host) : address;
    return { clone, address: local, host, credentials: secret };
  };

  const follow = async ({ bounds, configs, known, learn, opened, source }: Fetch): Promise<void> => {
    const { followed } = known;
    const { clone } = opened;
    const { pin, signedBy } = source;
    const needs = await needsOf(source, opened);
    const fetchedAt = now();
    const tip = await fetchTip(needs, source.ref, bounds);
    learn({ tip, fetchedAt });
    if (pin !== null && !(await fetchCommit(needs, pin, bounds)))
      throw new FetchProblem("missing", `${needs.address.url} has no commit ${pin}, which \`pin\` names`);
    if (pin === null) await checkDescent(clone, { tip, followed }, source);
    const next = pin ?? tip;
    const files = await store.open(source, next);
    if (signedBy !== null) await checkSigned({ source, configs, needs, bounds, known, files, signedBy });
    // It stays when the branch is rewritten: passes may still read it.
    await runGit(clone, ["update-ref", "refs/edgewise/followed", next]);
    learn({ followed: next, checked: signedBy === null ? null : { signedBy, configs } });
    await store.tidy(source, opened);
  };

  const briefly = async <T>(
    source: FleetSource,
    signal: AbortSignal,
    act: (needs: FetchNeeds, bounds: FetchBounds) => Promise<T>,
  ): Promise<T> => {
    const bounds = boundsOf([signal, AbortSignal.timeout(briefMs)]);
    return new Promise<T>((resolve, reject) => {
      const onEnd = (): void => reject(new FetchProblem("unreachable", `${source.name} did not answer in time`));
      if (bounds.signal.aborted) onEnd();
      else bounds.signal.addEventListener("abort", onEnd, { once: true });
      const turn = async (opened: OpenClone): Promise<void> => {
        // A turn that comes too late is for nobody.
        if (!bounds.signal.aborted) resolve(await act(await needsOf(source, opened), bounds));
      };
      store.inTurn(source, turn).catch(reject);
    });
  };

  return {
    async listApprovals(source, waiting, signal) {
      const some = waiting.slice(0, mostListed).map((one) => ({ ...one, prefix: approvalRefs(one) }));
      const patterns = some.map(({ prefix }) => `${prefix}*`);
      const found = new Map<string, string>();
      try {
        const listed = await briefly(source, signal, (needs, bounds) => listRefs(needs, patterns, bounds));
        for (const { prefix, stack } of some) {
          const own = listed.filter(({ ref }) => ref.startsWith(prefix));
          if (own.length > 0) found.set(stack, own.map(({ object, ref }) => `${ref} ${object}`).join("\n"));
        }
      } catch (error) {
        asProblem(error);
      }
      return found;
    },
    async readApprovals(source, question, signal) {
      try {
        return await briefly(source, signal, (needs, bounds) =>
          readApprovalTags(needs, bounds, question, source.signedBy),
        );
      } catch (error) {
        return { approvals: [], problems: [`approvals can't be read: ${asProblem(error).message}`] };
      }
    },
    async fetch(source, before, signal, configs = ["edgewise.yaml"]) {
      const origin = originOf(source.git, source.ref);
      const mine = before !== null && (before.origin ?? origin) === origin ? before : nothing;
      const { checked = null, fetchedAt, followed, tip } = mine;
      let known: Known = { followed, tip, fetchedAt, checked };
      const learn = (news: Partial<Known>): void => {
        known = { ...known, ...news };
      };
      let problem: SourceRecord["problem"] = null;
      try {
        const bounds = boundsOf([signal]);
        await store.inTurn(source, (opened) => follow({ source, configs, opened, bounds, known, learn }));
      } catch (error) {
        const { code, message } = asProblem(error);
        const since = before?.problem?.code === code ? before.problem.since : now();
        problem = { code, message, since };
      }
      return { name: source.name, origin, ...known, problem };
    },
    open: (source, commit) => store.open(source, commit),
    async close() {
      closing.abort();
      await store.close();
    },
  };
}
