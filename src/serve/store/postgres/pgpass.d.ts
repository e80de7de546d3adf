declare module "pgpass/lib/helper.js" {
  type Place = Readonly<Record<"host" | "port" | "database" | "user", string>>;
  type Entry = Place & { readonly password: string };
  const helper: {
    parseLine(this: void, line: string): Entry | null;
    isValidEntry(entry: Entry): boolean;
    match(wanted: Place, entry: Entry): boolean;
  };
  export default helper;
}
