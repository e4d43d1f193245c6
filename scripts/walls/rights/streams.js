import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";

/** Without a network of its own the job shares the ports of this machine. */
const entryPort = 20_000 + (process.pid % 10_000);
const bytesPerSecond = 2_000_000;

/** A job that never stops talking: in its log, on a port, and with a file that takes long to fetch. */
export const talkingJob = {
  name: "talks",
  gpus: 0,
  run: `python3 -u -c '${`
import os, socketserver, threading, time
os.truncate(os.open("large", os.O_CREAT | os.O_WRONLY), 60_000_000_000)
class Talk(socketserver.BaseRequestHandler):
    def handle(self):
        self.request.sendall(b"HTTP/1.1 200 OK\\r\\ncontent-type: text/plain\\r\\nconnection: close\\r\\n\\r\\n")
        while True:
            self.request.sendall(b"still here\\n")
            time.sleep(0.1)
class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
threading.Thread(target=Server(("127.0.0.1", ${entryPort}), Talk).serve_forever, daemon=True).start()
while True:
    print("still here", flush=True)
    time.sleep(0.1)
`.trim()}'`,
};

/**
 * Every kind of stream there is, opened by a caller; those of `tokenStreams` take no browser's session. Each gives `{ heard(), closed }`: whether something came, and a
 * promise of when it ended.
 */
export const streams = {
  "followed log": ({ url, headers, job }) => get(url, `/v1/jobs/${job}/logs?follow=true`, headers),
  "watched list": ({ url, headers }) => get(url, "/v1/jobs", { ...headers, accept: "text/event-stream" }),
  "event feed": ({ url, headers }) => get(url, "/v1/events", { ...headers, accept: "text/event-stream" }),
  "file of a job": ({ url, headers, job }) => get(url, `/v1/jobs/${job}/file?path=large&output=work`, headers),
  upload: ({ url, headers }) => upload(url, headers),
  "page of a job": (caller) => page(caller),
};

export const tokenStreams = {
  command: (caller) => entrance(caller, { how: "exec", command: "while :; do echo here; sleep 0.1; done" }),
  terminal: (caller) => entrance(caller, { how: "terminal", command: "while :; do echo here; sleep 0.1; done" }),
  "forwarded port": (caller) => entrance(caller, { how: "port", port: entryPort }, "GET / HTTP/1.1\r\n\r\n"),
};

/** Follows an answer at a bounded speed, until `drain` is asked for. */
function get(url, path, headers) {
  return new Promise((resolve, reject) => {
    const asked = request(new URL(path, url), { headers });
    asked.once("error", reject);
    asked.once("response", (answer) => {
      if (answer.statusCode !== 200) return reject(new Error(`${path}: status ${answer.statusCode}`));
      resolve(followed(answer, asked));
    });
    asked.end();
  });
}

function followed(answer, asked) {
  let bytes = 0;
  let isDraining = false;
  asked.on("error", () => {});
  answer.on("error", () => {});
  answer.on("data", (part) => {
    bytes += part.length;
    if (isDraining) return;
    answer.pause();
    setTimeout(() => answer.resume(), (part.length / bytesPerSecond) * 1000);
  });
  return {
    heard: () => bytes > 0,
    /** What lies in buffers is no new answer: it is read as fast as it comes. */
    drain() {
      isDraining = true;
      answer.resume();
    },
    closed: new Promise((resolve) => answer.once("close", () => resolve(performance.now()))),
    end: () => asked.destroy(),
  };
}

async function upload(url, headers) {
  const type = { "content-type": "application/octet-stream" };
  const asked = request(new URL("/v1/content?project=local", url), {
    method: "POST",
    headers: { ...headers, ...type },
  });
  asked.on("error", () => {});
  const closed = new Promise((resolve) => {
    asked.once("close", () => resolve(performance.now()));
    asked.once("response", (answer) => answer.resume());
  });
  const timer = setInterval(() => asked.destroyed || asked.write(Buffer.alloc(8)), 100);
  void closed.then(() => clearInterval(timer));
  await sleep(300);
  return { heard: () => !asked.destroyed, drain() {}, closed, end: () => asked.destroy() };
}

async function enter({ url, headers, job }, body) {
  const answer = await fetch(`${url}/v1/jobs/${job}/enter`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`enter ${body.how}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

async function entrance(caller, body, input = "") {
  const { id } = await enter(caller, body);
  const socket = new WebSocket(`${caller.url.replace("http", "ws")}/v1/entrances/${id}`, { headers: caller.headers });
  let heard = false;
  socket.on("error", () => {});
  socket.on("message", (_data, isBinary) => {
    heard ||= isBinary;
  });
  await new Promise((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("unexpected-response", (_, answer) => reject(new Error(`${body.how}: status ${answer.statusCode}`)));
  });
  if (input !== "") socket.send(Buffer.concat([Buffer.of(0), Buffer.from(input)]));
  const closed = new Promise((resolve) => socket.once("close", () => resolve(performance.now())));
  return { heard: () => heard, drain() {}, closed, end: () => socket.terminate() };
}

/** Opens the page as a browser does: the address once, then with the cookie that it gave. */
async function page(caller) {
  const { url: address } = await enter(caller, { how: "page", port: entryPort });
  const at = new URL(address);
  const first = await new Promise((resolve, reject) => {
    const asked = request(new URL(at.pathname + at.search, caller.url), { headers: { host: at.host } }, resolve);
    asked.once("error", reject);
    asked.end();
  });
  first.resume();
  const cookie = (first.headers["set-cookie"] ?? []).map((each) => each.split(";")[0]).join("; ");
  return get(caller.url, "/", { host: at.host, cookie });
}
