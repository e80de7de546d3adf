/** One of undici's own files, which it ships without types of its own. */
declare module "undici/lib/dispatcher/agent.js" {
  export { Agent as default } from "undici";
}
