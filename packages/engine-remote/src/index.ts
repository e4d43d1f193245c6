/** An engine in another process: the near side and the far side of its socket. */
export { openRemoteEngine, RemoteCalls } from "./client.ts";
export { type Extras, type Serving, serveEngine } from "./serve.ts";
