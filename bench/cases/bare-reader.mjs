// The floor of `plan`: only follows the pages of all lists. Prints the milliseconds of the longest, without Node's start.
import { end, readLists } from "./bare-client.mjs";

console.log(JSON.stringify({ ms: await readLists() }));
end();
