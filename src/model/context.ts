import type { ModelEnv } from "./env.js";
import type { World } from "./world.js";

/** What a resource's rules may look at while they answer one request. */
export interface ModelContext {
  readonly world: World;
  readonly env: ModelEnv;
  /** Begins every `uri` of the answer. */
  readonly baseUrl: string;
}
