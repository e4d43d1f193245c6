import { once } from "node:events";
import { connect, createServer } from "node:net";

/** A way to the API server that can be cut: connections break at once, and new ones are refused or hang. */
export class CuttingProxy {
  #server;
  #sockets = new Set();
  #target;
  #way = "open";

  static async open(targetPort) {
    const proxy = new CuttingProxy();
    proxy.#target = targetPort;
    proxy.#server = createServer((near) => proxy.#join(near)).listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get port() {
    return this.#server.address().port;
  }

  /** Breaks every connection; until `mend`, new ones break as well or, with `silent`, get no answer. */
  cut({ silent = false } = {}) {
    this.#way = silent ? "silent" : "cut";
    if (silent) for (const socket of this.#sockets) socket.pause();
    else this.drop();
  }

  mend() {
    this.#way = "open";
    // What was silent has missed too much to go on.
    this.drop();
  }

  /** Breaks every connection that there is, as a restart of something in between does. */
  drop() {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close() {
    this.drop();
    this.#server.close();
    await once(this.#server, "close");
  }

  #join(near) {
    this.#keep(near);
    if (this.#way === "cut") return near.destroy();
    if (this.#way === "silent") return near.pause();
    const far = connect(this.#target, "127.0.0.1");
    this.#keep(far);
    near.pipe(far);
    far.pipe(near);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ]) {
      one.once("close", () => other.destroy());
    }
  }

  #keep(socket) {
    this.#sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => this.#sockets.delete(socket));
  }
}
