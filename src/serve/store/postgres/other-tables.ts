import { EdgewiseError } from "../../../core/errors.js";
import { isObject } from "../../../core/json.js";
import type { Impact } from "../../../kinds/impact.js";
import { parseJson } from "../../../core/parse-json.js";
import type { Plan } from "../../../plan/plan-format.js";
import { validatePlan } from "../../../schema/validate-plan.js";
import type { ToldRecord } from "../../records.js";
import { parseState, renderState, toldFormat } from "../state-formats.js";
import type { StoredHeal } from "../store.js";
import { type RunStatement, nameColumn, textOf } from "./database-rows.js";

/** @throws EdgewiseError `io` */
export async function savePlanRow(run: RunStatement, stack: string, plan: Plan | null): Promise<void> {
  if (plan === null) {
    await run("delete from edgewise.plan where stack = $1", [nameColumn(stack)]);
    return;
  }
  await run(
    "insert into edgewise.plan (stack, plan) values ($1, $2) on conflict (stack) do update set plan = excluded.plan",
    [nameColumn(stack), JSON.stringify(plan)],
  );
}

/** @throws EdgewiseError `io`, also when it is damaged */
export async function readPlanRow(run: RunStatement, stack: string, database: string): Promise<Plan | null> {
  const [row] = await run("select plan from edgewise.plan where stack = $1", [nameColumn(stack)]);
  if (row === undefined) return null;
  const parsed = parseJson(textOf(row, "plan"));
  if ("value" in parsed && isPlan(parsed.value)) return parsed.value;
  throw new EdgewiseError(
    "io",
    `the plan of the stack ${stack} is damaged: what the database ${database} holds is none`,
    {
      remedy: "It is written again when it changes, and after a restart.",
    },
  );
}

function isPlan(value: unknown): value is Plan {
  return validatePlan(value) === null;
}

/** Removes what is kept of a stack but its history. @throws EdgewiseError `io` */
export async function forgetStackRows(run: RunStatement, name: string): Promise<void> {
  await run(
    `with plan as (delete from edgewise.plan where stack = $1), told as (delete from edgewise.told where name = $1)
      delete from edgewise.stack where name = $1`,
    [nameColumn(name)],
  );
}

/** What was told. What is damaged is told again. @throws EdgewiseError `io` */
export async function loadToldRows(run: RunStatement): Promise<ReadonlyMap<string, ToldRecord>> {
  const rows = await run("select record from edgewise.told");
  const records = rows.flatMap((row) => parseState(textOf(row, "record"), "what was told", toldFormat) ?? []);
  return new Map(records.map((record) => [record.name, record]));
}

/** @throws EdgewiseError `io` */
export async function saveToldRow(run: RunStatement, record: ToldRecord): Promise<void> {
  await run(
    `insert into edgewise.told (name, record) values ($1, $2)
      on conflict (name) do update set record = excluded.record`,
    [nameColumn(record.name), renderState(record, toldFormat)],
  );
}

/** @throws EdgewiseError `io` */
export async function saveHealRow(run: RunStatement, heal: Omit<StoredHeal, "id">): Promise<void> {
  await run("insert into edgewise.heal (heal) values ($1)", [JSON.stringify(heal)]);
}

/** How many heals are read at once: the rest comes when these are told. */
const mostHeals = 1000;

/** The heals that wait to be told, oldest first. @throws EdgewiseError `io` */
export async function loadHealRows(run: RunStatement): Promise<readonly StoredHeal[]> {
  const rows = await run("select h.id::text as id, h.heal from edgewise.heal h order by h.id limit $1", [mostHeals]);
  return rows.flatMap((row) => {
    const heal = healIn(textOf(row, "heal"));
    // As texts, later ones sort after earlier ones.
    return heal === null ? [] : [{ ...heal, id: textOf(row, "id").padStart(19, "0") }];
  });
}

/** @throws EdgewiseError `io` */
export async function removeHealRow(run: RunStatement, id: string): Promise<void> {
  if (/^[0-9]{1,19}$/.test(id)) await run("delete from edgewise.heal where id = $1::numeric", [id]);
}

const impacts: readonly Impact[] = ["none", "cosmetic", "routing", "security"];

/** Null = it is damaged: then nobody can tell it. */
function healIn(text: string): Omit<StoredHeal, "id"> | null {
  const parsed = parseJson(text);
  if (!("value" in parsed) || !isObject(parsed.value)) return null;
  const { at, changes, impact, stack } = parsed.value;
  const known = impacts.find((each) => each === impact);
  if (typeof stack !== "string" || typeof at !== "number" || typeof changes !== "number") return null;
  return known === undefined ? null : { stack, at, changes, impact: known };
}
