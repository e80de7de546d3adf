// The floor of `apply`: follows the lists, sends the POSTs that `apply` sends, 8 at a time, and follows the lists again.
//   bare-writer.mjs FILE     a JSON array of {name, path, body, needs}: `needs` names the backend whose id the body takes
import { readFileSync } from "node:fs";
import { end, post, readLists } from "./bare-client.mjs";

const queue = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));
const ids = new Map();
await readLists();
let next = 0;
const lane = async () => {
  while (next < queue.length) {
    const { body, name, needs, path } = queue[next++];
    if (needs !== null) body.backend.backend_id = await ids.get(needs);
    const made = post(path, body).then(({ id }) => id);
    ids.set(name, made);
    await made;
  }
};
await Promise.all(Array.from({ length: 8 }, lane));
await readLists();
console.log(JSON.stringify({ sent: queue.length }));
end();
