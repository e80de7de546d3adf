import { type Stage, backend, stage } from "../commands/stage.ts";
import { listPaths } from "../support/lists.ts";

export async function project(): Promise<Stage> {
  const at = await stage();
  await at.write("edge/backend.yaml", backend("maintenance", "status_code: 503", ", labels: {team: payments}"));
  return at;
}

export function normal(text: string, at: Pick<Stage, "dir" | "sandbox">): string {
  return text
    .replaceAll(at.sandbox.baseUrl, "SANDBOX")
    .replaceAll(at.dir, "DIR")
    .replaceAll(/127\.0\.0\.1:\d{4,5}/gu, "127.0.0.1:PORT")
    .replaceAll(/(port|--port) \d{4,5}\b/giu, "$1 PORT")
    .replaceAll(new RegExp(`(GET |no )(?:${listPaths.join("|")})`, "gu"), "$1/LIST");
}
