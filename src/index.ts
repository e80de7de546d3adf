/**
 * Edgewise as a library: load manifests, read what is live, plan, apply.
 *
 * ```js
 * const { manifests, diagnostics } = await loadManifests({ root: ".", patterns: ["edge/"] });
 * const client = createClient(clientOptions({ baseUrl, apiKey }));
 * const made = plan(manifests, await readLive(client, manifests), { stack: "edge-prod", baseUrl });
 * const result = await apply(made, { client, manifests });
 * ```
 *
 * Anything not exported here is internal and may change in any release.
 */
export { createClient, createReadClient } from "./api/create-client.js";
export { clientOptions } from "./library/library-api.js";
export { loadConfig } from "./config/load-config.js";
export { loadManifests, type LoadManifestsOptions } from "./library/library-api.js";
export { readLiveFor as readLive } from "./live/read-live.js";
export { plan, type LibraryPlanOptions as PlanOptions } from "./library/library-api.js";
export { judge, type JudgeOptions } from "./library/library-api.js";
export { apply, type ApplyOptions } from "./library/library-api.js";
export { driftOf, type DriftOptions } from "./plan/drift-findings.js";
export { exportManifests, type Exported, type ExportOptions } from "./export/export-manifests.js";
export { Secret } from "./core/secret.js";
export { EdgewiseError, type ErrorCode } from "./core/errors.js";
export { version } from "./core/version.js";

export type { ApiRequest, ApiResponse, Client, ReadClient } from "./api/client.js";
export type { ClientOptions } from "./api/client.js";
export type { ApplyEvent } from "./apply/events.js";
export type { OperationResult, OperationStatus, Outcome, Result } from "./apply/result.js";
export type { Config, ConfigInput } from "./config/config.js";
export type { Address, KindName } from "./kinds/names.js";
export type { Live } from "./live/live.js";
export type { Diagnostic } from "./diagnostics/diagnostic.js";
export type { Manifest } from "./manifest/manifest.js";
export type { Drift, Finding } from "./plan/drift-findings.js";
export type { Policy } from "./policies/plan-policy.js";
export type { Change, FieldChange, Operation, Plan, Refusal, Warning } from "./plan/plan-format.js";
