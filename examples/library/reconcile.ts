// A small controller of your own: it applies the manifests of a directory as long as no change concerns security.
//   node reconcile.js DIRECTORY
// The API key, the address and the variables come from the environment, as for the command line.
import { resolve } from "node:path";
import {
  apply,
  clientOptions,
  createClient,
  EdgewiseError,
  judge,
  loadConfig,
  loadManifests,
  plan,
  readLive,
  type Plan,
  type Result,
} from "edgewise";

/** Why a person should look at the plan first; empty when nobody has to. */
function objections({ refusals, changes }: Plan): readonly string[] {
  const risky = changes.filter(({ impact }) => impact === "security" || impact === "irreversible");
  return [
    ...refusals.map(({ code, message, remedy }) => `refused (${code}): ${message}; ${remedy}`),
    ...risky.map(({ address, action, impact }) => `${address}: ${action} has the impact ${impact}`),
  ];
}

/** Plans and applies. Null = the plan needs a person, and nothing was sent. */
export async function reconcile(cwd: string, env: NodeJS.ProcessEnv): Promise<Result | null> {
  const config = await loadConfig({ cwd, env, flags: {} });
  const { api, guards, stack } = config;
  if (stack === null || api.baseUrl === null) throw new Error("set stack and api.baseUrl in edgewise.yaml");

  const { manifests, diagnostics } = await loadManifests({
    root: config.root,
    patterns: config.patterns,
    variables: config.variables,
    adopt: config.adopt,
    env,
    stack,
  });
  for (const { severity, file, line, message } of diagnostics)
    console.error(`${file}:${line}: ${severity}: ${message}`);
  if (diagnostics.some(({ severity }) => severity === "error")) throw new Error("the manifests have errors");

  const client = createClient(
    clientOptions({ ...api, baseUrl: api.baseUrl, apiKey: env["EDGEWISE_API_KEY"] ?? "", env }),
  );
  try {
    const options = {
      stack,
      baseUrl: api.baseUrl,
      moduleEndpoints: api.moduleEndpoints,
      previousStacks: config.previousStacks,
      ...guards,
    };
    const makePlan = async (): Promise<Plan> => plan(manifests, await readLive(client, manifests), options);

    const made = await judge(await makePlan(), config.policies, { allow: guards.allow });
    for (const { address, action, impact } of made.changes) console.log(`${action} ${address} [${impact}]`);

    const reasons = objections(made);
    for (const reason of reasons) console.error(reason);
    if (reasons.length > 0) return null;

    return await apply(made, { client, manifests, replan: makePlan, settleMs: api.settleMs });
  } finally {
    await client.close();
  }
}

try {
  const result = await reconcile(resolve(process.argv[2] ?? "."), process.env);
  console.log(result === null ? "waiting for a person" : `${result.outcome}, verified: ${result.verified}`);
  process.exitCode = result === null ? 2 : result.outcome === "applied" || result.outcome === "nothing" ? 0 : 3;
} catch (error) {
  // What is expected to go wrong has a code and a remedy; everything else is a bug.
  if (!(error instanceof EdgewiseError)) throw error;
  console.error(`${error.code}: ${error.message}\n${error.remedy ?? ""}`);
  process.exitCode = error.exit;
}
