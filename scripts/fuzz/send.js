import http from "node:http";
import net from "node:net";

const patienceMs = 20_000;
/** Streams have no end; this much of one is enough to look at. */
const streamMs = 200;

/** Sends a request; answers status, headers and text, or that nothing came. */
export function send(url, agent, token, { method, path, headers, body }) {
  return new Promise((resolve) => {
    const started = performance.now();
    let settled = false;
    const settle = (answer) => {
      if (settled) return;
      settled = true;
      clearTimeout(patience);
      resolve({ ms: performance.now() - started, ...answer });
    };
    const { hostname, port } = new URL(url);
    let request;
    const patience = setTimeout(() => {
      settle({ hang: true });
      request?.destroy();
    }, patienceMs);
    try {
      request = http.request({
        agent,
        hostname,
        port,
        method,
        path,
        headers: {
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { "content-length": Buffer.byteLength(body) }),
          ...headers,
        },
      });
    } catch (error) {
      return settle({ unsent: error.code }); // the client's own library refuses to write such a thing
    }
    request.on("continue", () => {});
    request.on("response", (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part) => {
        text += part;
      });
      const answer = () => ({ status: response.statusCode, headers: response.headers, text });
      response.on("end", () => settle(answer()));
      response.on("error", () => settle(answer()));
      const type = response.headers["content-type"] ?? "";
      if (!/event-stream|ndjson/.test(type)) return;
      setTimeout(() => {
        settle(answer());
        request.destroy();
      }, streamMs);
    });
    // A server that has heard enough may close before the whole body was sent; that is its right.
    request.on("error", (error) => settle({ cut: error.code }));
    request.end(body);
  });
}

/** Writes bytes to the server and looks what comes back for a moment. */
export function sendBytes(url, bytes) {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    let text = "";
    const socket = net.connect({ host: hostname, port: Number(port) });
    const done = () => {
      socket.destroy();
      resolve({ text, statuses: [...text.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map((match) => Number(match[1])) });
    };
    socket.on("connect", () => socket.write(bytes));
    socket.on("data", (part) => {
      text += part.toString("latin1");
    });
    socket.on("error", done);
    socket.on("close", done);
    setTimeout(done, streamMs);
  });
}
