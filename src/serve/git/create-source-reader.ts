import type { GitHost } from "../../git/git-program.js";
import type { SecretFiles } from "../../git/git-tree.js";
import { runGit } from "../../git/run-git.js";
import { limits } from "../../core/limits.js";
import type { SecretValue } from "../../core/secret.js";
import type { FleetSource, SecretSource } from "../fleet/fleet.js";
import type { SourceRecord } from "../records.js";
import type { ApprovalReader } from "./approval-reader.js";
import { approvalRefs, listRefs, readApprovalTags } from "./approval-tags.js";
import { readApproverFile } from "./approver-file.js";
import { type OpenClone, createCloneStore } from "./clone-store.js";
import { originOf } from "./clone.js";
import { checkSignatures } from "./commit-signers.js";
import type { FetchNeeds } from "./fetch-environment.js";
import { type FetchBounds, FetchProblem, asProblem, fetchCommit, fetchTip, refused } from "./fetch-tip.js";
import { checkDescent } from "./follow-tip.js";
import { checkLocalSource } from "./local-source.js";
import { signatureTools } from "./signed-run.js";
import { directoriesOf, stackDirectories } from "./stack-directories.js";
import { type SourceAddress, sourceAddress } from "./source-address.js";
import type { SourceCommit, SourceReader } from "./source-reader.js";

export interface SourceReaderOptions {
  /** Absolute; the clones' own directory, which is created. */
  readonly directory: string;
  readonly host: GitHost;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Reads credentials. */
  readonly readSecret: (source: SecretSource) => SecretValue;
  /** How secret files of a stack are read, by the directory that holds them; null = it sees none. */
  readonly secretFiles: (directory: string | null) => SecretFiles;
  /** Kills all processes of a group at once, by its leader's id. Does nothing when it is gone. */
  readonly killGroup: (leader: number) => void;
  /** How long one git may take, in milliseconds. Default: 10 minutes. */
  readonly deadline?: number;
  /** The most that one fetch may bring, in bytes. Default: 1 GiB. */
  readonly maxBytes?: number;
}

/** So long something that a stack waits for may take, in milliseconds: others of its account wait, too. */
const briefMs = 60_000;

/** Of so many stacks that wait, a poll of their source looks for approvals. Each one's own look does so in any case. */
const mostListed = 200;

/** What is known of a source while it is fetched. */
type Known = Pick<Required<SourceRecord>, "followed" | "tip" | "fetchedAt" | "checked">;

const nothing: Known = { followed: null, tip: null, fetchedAt: null, checked: null };

/** One fetch, with everything that it uses. */
interface Turn {
  readonly source: FleetSource;
  /** The configurations of its stacks. */
  readonly configs: readonly string[];
  readonly address: SourceAddress;
  readonly opened: OpenClone;
  readonly bounds: FetchBounds;
  /** Called with what was learned, as soon as it is. */
  readonly learn: (known: Partial<Known>) => void;
}

/** A commit that is not followed before its signatures are checked. */
interface Unchecked {
  readonly turn: Turn;
  readonly known: Known;
  readonly needs: FetchNeeds;
  readonly files: SourceCommit;
  readonly signedBy: string;
}

/**
 * A reader of sources on bare clones: each holds one branch or tag with its history. Git runs as everywhere else, with no
 * configuration but its own; a fetch may use the protocol of its source, and nothing else. A clone is a cache: it can be
 * removed at any time.
 */
export function createSourceReader(options: SourceReaderOptions): SourceReader & ApprovalReader {
  const { host, now, readSecret, killGroup } = options;
  const closing = new AbortController();
  const ends = { deadline: options.deadline ?? 600_000, killGroup };
  const store = createCloneStore({ ...options, ends: { ...ends, signal: closing.signal } });

  const credentialsOf = ({ credentials }: FleetSource): string | null => {
    if (credentials === null) return null;
    const secret = readSecret(credentials);
    if (!secret.available) throw new FetchProblem("unusable", `its credentials can't be read: ${secret.reason}`);
    return secret.text.trim();
  };

  const follow = async (turn: Turn, known: Known): Promise<void> => {
    const { source, address, opened, bounds, configs, learn } = turn;
    const { followed } = known;
    const { clone } = opened;
    const local = address.protocol === "file" ? await checkLocalSource(address, host) : address;
    const needs: FetchNeeds = { clone, address: local, host, credentials: credentialsOf(source) };
    const startedAt = now();
    const tip = await fetchTip(needs, source.ref, bounds);
    learn({ tip, fetchedAt: startedAt });
    const { pin, signedBy } = source;
    if (pin !== null && !(await fetchCommit(needs, pin, bounds)))
      throw new FetchProblem("missing", `${address.url} has no commit ${pin}, which \`pin\` names`);
    const next = pin ?? tip;
    if (pin === null) await checkDescent({ clone, tip, followed }, source);
    const files = await store.open(source, next);
    if (signedBy !== null) await checkSigned({ turn, known, needs, files, signedBy });
    // It stays when the branch is rewritten: passes may still read it.
    await runGit(clone, ["update-ref", "refs/edgewise/followed", next]);
    learn({ followed: next, checked: signedBy === null ? null : { signedBy, configs } });
    await store.tidy(source, opened);
  };

  /** Refuses a commit for what nobody who may has signed. What was checked up to the commit that is followed stays so. */
  const checkSigned = async ({ turn, known, needs, files, signedBy }: Unchecked): Promise<void> => {
    const { bounds, configs, source } = turn;
    const { checked, followed } = known;
    const tip = files.commit;
    const held = checked?.signedBy === signedBy ? configs.filter((one) => checked.configs.includes(one)) : [];
    // The operator's word counts for one commit, wherever in the history it is: for who signed it that says nothing.
    const named = tip !== followed && (source.pin !== null || source.accept.includes(tip));
    const since = tip === followed || source.pin !== null || held.length === 0 ? null : followed;
    const unchecked = await stackDirectories(files, named ? configs : configs.filter((one) => !held.includes(one)));
    if (since === null && unchecked.length === 0) return;
    const directories = directoriesOf(held);
    const found = await files.directoryIds(directories);
    // A link may lead to what another directory holds.
    const isAll = directories.includes("") || [...found.values()].some((one) => one?.hasLinks === true);
    const tools = await signatureTools(needs);
    const paths = isAll ? [] : directories;
    await checkSignatures({ clone: needs.clone, bounds, tools, since, tip, paths, unchecked }, signedBy);
  };

  /** Does something with the clone and the remote of a source, in turn with its fetches, for a minute at most. */
  const briefly = async <T>(
    source: FleetSource,
    signal: AbortSignal,
    act: (needs: FetchNeeds, bounds: FetchBounds) => Promise<T>,
  ): Promise<T> => {
    const address = sourceAddress(source.git);
    if ("problem" in address) throw refused(address);
    const ending = AbortSignal.any([signal, closing.signal, AbortSignal.timeout(briefMs)]);
    const bounds = { ...ends, maxBytes: options.maxBytes ?? limits.fetchBytes, signal: ending };
    const stopped = new Promise<never>((_, reject) => {
      const onEnd = (): void => reject(new FetchProblem("unreachable", `${address.url} did not answer in time`));
      if (ending.aborted) onEnd();
      else ending.addEventListener("abort", onEnd, { once: true });
    });
    stopped.catch(() => undefined);
    const acted = new Promise<T>((resolve, reject) => {
      const turn = store.inTurn(source, address, async ({ clone }) => {
        // Its turn came too late: nobody waits any more.
        if (ending.aborted) return;
        const local = address.protocol === "file" ? await checkLocalSource(address, host) : address;
        resolve(await act({ clone, address: local, host, credentials: credentialsOf(source) }, bounds));
      });
      turn.catch(reject);
    });
    return Promise.race([acted, stopped]);
  };

  return {
    async listApprovals(source, waiting, signal) {
      const prefixes = waiting.map((one) => ({ ...one, prefix: approvalRefs(one) }));
      const found = new Map<string, string>();
      try {
        const some = prefixes.slice(0, mostListed);
        const patterns = some.map(({ prefix }) => `${prefix}*`);
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
        const approvers = await readApproverFile(question.approvers);
        const file = source.signedBy;
        const signedBy = file === null ? null : { file, signers: await readApproverFile(file) };
        return await briefly(source, signal, (needs, bounds) =>
          readApprovalTags({ needs, bounds, question, approvers, signedBy }),
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
      const record = (problem: SourceRecord["problem"]): SourceRecord => ({
        name: source.name,
        origin,
        ...known,
        problem,
      });
      const maxBytes = options.maxBytes ?? limits.fetchBytes;
      const bounds = { ...ends, maxBytes, signal: AbortSignal.any([signal, closing.signal]) };
      const learn: Turn["learn"] = (news) => {
        known = { ...known, ...news };
      };
      try {
        const address = sourceAddress(source.git);
        if ("problem" in address) throw refused(address);
        await store.inTurn(source, address, (opened) =>
          follow({ source, address, opened, bounds, configs, learn }, known),
        );
        return record(null);
      } catch (error) {
        const { code, message } = asProblem(error);
        const same = before?.problem?.code === code ? before.problem : null;
        return record({ code, message, since: same?.since ?? now() });
      }
    },
    open: (source, commit) => store.open(source, commit),
    async close() {
      closing.abort();
      await store.close();
    },
  };
}
