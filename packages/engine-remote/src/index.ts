/** An engine in another process: the near side and the far side of its socket. */
export { table, text } from "./checks/check.ts";
export { openRemoteEngine } from "./client.ts";
export { type Extras, type Serving, serveEngine } from "./serve.ts";
