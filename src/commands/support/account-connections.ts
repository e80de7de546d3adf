import type { Client, ClientOptions } from "../../api/client.js";
import { createClient } from "../../api/create-client.js";
import { RequestWindow } from "../../api/request-window.js";
import { systemClock } from "../../api/system-clock.js";
import { type Fleet, type FleetAccount, accountIdentity } from "../../serve/fleet/fleet.js";
import { type SecretReading, readAccountKey } from "../../serve/fleet/read-secret-source.js";
import type { AccountTraffic, ServeDeps } from "../../serve/serve-deps.js";
import { configDefaults } from "../../generated/config-defaults.js";
import { defaultConcurrency } from "./connect.js";
import type { GuardedIo } from "./io.js";

/** For one attempt of one request, in milliseconds. */
const timeoutMs = configDefaults.api.timeout;

/** How `serve` connects to accounts, and counts what it asks of them. */
export interface AccountConnections {
  readonly connect: ServeDeps["connect"];
  readonly traffic: AccountTraffic;
}

/**
 * Clients for accounts, each for one pass: its key is read anew, and masked from then on. Requests are counted over all
 * passes, as the limit is the account's.
 * @param fleet the fleet file that is in effect
 */
export function accountConnections(fleet: () => Fleet, io: GuardedIo): AccountConnections {
  const windowOf = accountWindows(fleet);
  return {
    connect: (account, changes) => connect(account, { window: windowOf(account), ...changes }, io),
    traffic: {
      sentLately: (account) => windowOf(account).sentLately(systemClock.now()),
      countOthers: (account, count) => windowOf(account).countOthers(count, systemClock.now()),
    },
  };
}

/** How secrets of the fleet file are read: no output shows them from then on. */
export function fleetSecrets({ env, redactor }: Pick<GuardedIo, "env" | "redactor">): SecretReading {
  return {
    env,
    onSecret: (secret) => {
      const parts = secretPartsOf(secret);
      if (parts === null) redactor.addKey(secret);
      for (const part of parts ?? []) redactor.addSecret(part);
    },
  };
}

/** In the address of a receiver, what is as long as this is secret; names of hosts and short words are not. */
const secretLength = 16;

/** What of an address must not be shown. The whole is not masked: other addresses begin as it does. Null = it is none. */
function secretPartsOf(secret: string): readonly string[] | null {
  if (!/^https?:/i.test(secret) || !URL.canParse(secret)) return null;
  const { password, pathname, search } = new URL(secret);
  const long = `${pathname}${search}`.split(/[/?&=]/u).filter((part) => part.length >= secretLength);
  return [...(password === "" ? [] : [password]), ...long];
}

async function connect(account: FleetAccount, changes: Partial<ClientOptions>, io: GuardedIo): Promise<Client> {
  const apiKey = await readAccountKey(account, fleetSecrets(io));
  const { baseUrl, versionHeader, requestsPerMinute } = account;
  const { env, redactor } = io;
  const own = { baseUrl, apiKey, versionHeader, requestsPerMinute, env, redactor, timeoutMs };
  return createClient({ ...own, concurrency: defaultConcurrency, ...changes });
}

function accountWindows(fleet: () => Fleet): (account: FleetAccount) => RequestWindow {
  const windows = new Map<string, RequestWindow>();
  return (account) => {
    const known = new Set([...fleet().accounts.values()].map(accountIdentity));
    for (const other of windows.keys()) if (!known.has(other)) windows.delete(other);
    const identity = accountIdentity(account);
    const window = windows.get(identity) ?? new RequestWindow();
    windows.set(identity, window);
    return window;
  };
}
