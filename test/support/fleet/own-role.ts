import { queryDatabase } from "./query-database.ts";

const rolePassword = "the-password/that nobody@may:see";

/** @returns the URL of a database for a role whose password is like no other word, so that it would be found */
export async function withOwnRole(superuser: string): Promise<string> {
  await queryDatabase(
    superuser,
    `do $$ begin
       if not exists (select from pg_roles where rolname = 'edge') then create role edge superuser login; end if;
     end $$;
     alter role edge password '${rolePassword}'`,
  );
  const url = new URL(superuser);
  url.username = "edge";
  url.password = encodeURIComponent(rolePassword);
  return url.href;
}
