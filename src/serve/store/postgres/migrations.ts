/** One step of the schema. A step that was ever released is never changed. */
export interface Migration {
  /** From 1, without gaps. */
  readonly version: number;
  /** The oldest version of the schema whose programs can use the database after this step. */
  readonly oldestReader: number;
  readonly statements: readonly string[];
}

// Names are `nameColumn(…)`. Records are JSON as text: `jsonb` stores neither U+0000 nor halves of characters, and what
// later versions add is kept as it is. `version` of a row grows with each change of it, and never comes again; `changed`
// is the transaction that changed it, so that others find it (see read-changes.ts).
export const migrations: readonly Migration[] = [
  {
    version: 1,
    oldestReader: 1,
    statements: [
      `create table edgewise.account_lock (
        key bigint primary key,
        account text not null,
        holder text,
        quiet_until timestamptz not null default '-infinity',
        sent text not null default '{}'
      )`,
      `create index account_lock_holder on edgewise.account_lock (key) where holder is not null`,
      `create table edgewise.stack (
        name text collate "C" primary key,
        head text not null,
        memory text not null,
        version bigint not null,
        changed xid8 not null
      ) with (fillfactor = 80)`,
      `create index stack_changed on edgewise.stack (changed)`,
      `create table edgewise.account (
        name text collate "C" primary key,
        record text not null,
        version bigint not null,
        changed xid8 not null
      )`,
      `create index account_changed on edgewise.account (changed)`,
      `create table edgewise.source (
        name text collate "C" primary key,
        followed text,
        record text not null,
        version bigint not null,
        changed xid8 not null
      )`,
      `create table edgewise.plan (stack text collate "C" primary key, plan text not null)`,
      `create table edgewise.told (name text collate "C" primary key, record text not null)`,
      `create table edgewise.heal (id bigint generated always as identity primary key, heal text not null)`,
      `create table edgewise.history (
        id bigint generated always as identity primary key,
        stack text collate "C" not null,
        at timestamptz not null,
        entry text not null
      )`,
      `create index history_stack on edgewise.history (stack, id desc)`,
      `create index history_at on edgewise.history (at)`,
      `create table edgewise.probe (id integer primary key, at timestamptz not null)`,
    ],
  },
];
