import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, it } from "node:test";
import { ApiClient } from "./client.ts";
import { readConfig } from "./config.ts";
import { Mirror } from "./mirror.ts";
import { paths } from "./paths.ts";
import type { Pod } from "./types.ts";

/**
 * As much of an API server as a mirror asks for. It decides nothing: each test says what is listed, what is there, and what a
 * watch tells, all of it as API servers do.
 */
class Double {
  /** What a list shows, and at which version. */
  listed: { version: string; items: readonly Pod[] } = { version: "10", items: [] };
  /** What a read by name finds. */
  there: readonly Pod[] = [];
  /** The status of lists and of new watches, if it is an error. */
  refuse: { list?: number; watch?: number } = {};
  readonly #watches: { readonly from: string | null; readonly answer: ServerResponse }[] = [];
  readonly #server = createServer((ask, answer) => {
    const { pathname, searchParams } = new URL(ask.url ?? "", "http://double");
    if (pathname !== paths.allPods) {
      const pod = this.there.find(({ metadata }) => paths.pod(metadata.namespace!, metadata.name) === pathname);
      send(answer, pod === undefined ? 404 : 200, pod ?? { reason: "NotFound", message: "not found" });
    } else if (searchParams.get("watch") !== "true") {
      const { version: resourceVersion, items } = this.listed;
      send(answer, this.refuse.list ?? 200, { metadata: { resourceVersion }, items });
    } else if (this.refuse.watch !== undefined) {
      send(answer, this.refuse.watch, { reason: "Expired", message: "too old resource version" });
      this.refuse = {};
    } else {
      answer.writeHead(200, { "content-type": "application/json" }).flushHeaders();
      this.#watches.push({ from: searchParams.get("resourceVersion"), answer });
      this.#server.emit("watch");
    }
  });

  async open(): Promise<string> {
    await once(this.#server.listen(0, "127.0.0.1"), "listening");
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The next watch that a mirror opened. */
  async watch() {
    while (this.#watches.length === 0) await once(this.#server, "watch");
    const { from, answer } = this.#watches.shift()!;
    const tell = (type: string, object: unknown) => answer.write(`${JSON.stringify({ type, object })}\n`);
    return { from, answer, tell };
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

function send(answer: ServerResponse, status: number, body: unknown): void {
  answer.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function podOf(name: string, resourceVersion: number, uid = `uid-${name}`, text = ""): Pod {
  const metadata = { namespace: "ns", name, uid, resourceVersion: String(resourceVersion), annotations: { text } };
  return { metadata, spec: { containers: [] } };
}

const opened: { close(): void }[] = [];
afterEach(() => {
  for (const each of opened.splice(0).toReversed()) each.close();
});

/** A mirror of a double. `seen` tells its changes: name@version, or name gone. */
async function mirrorOf(first: readonly Pod[], refuse: Double["refuse"] = {}) {
  const double = new Double();
  double.listed = { version: "10", items: first };
  double.there = first;
  double.refuse = refuse;
  const server = await double.open();
  const kubeconfig = {
    // The library takes plain HTTP only together with this.
    clusters: [{ name: "c", cluster: { server, "insecure-skip-tls-verify": true } }],
    users: [{ name: "u", user: {} }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  };
  const client = new ApiClient(readConfig(JSON.stringify(kubeconfig), undefined));
  const seen: string[] = [];
  const changes = new EventTarget();
  const mirror = new Mirror<Pod>(client, {
    path: paths.allPods,
    pathOf: ({ metadata }) => paths.pod(metadata.namespace!, metadata.name),
    keep: (pod) => pod,
    onChange: (now, before) => {
      seen.push(
        now === undefined ? `${before?.metadata.uid} gone` : `${now.metadata.uid}@${now.metadata.resourceVersion}`,
      );
      changes.dispatchEvent(new Event("change"));
    },
  });
  opened.push(double, client, mirror);
  const until = async (what: string) => {
    while (!seen.includes(what)) await once(changes, "change");
  };
  return { double, mirror, seen, until };
}

// Each waits for what must come: without a limit, what never comes would stop all tests.
describe("a copy of all objects of a kind", { timeout: 30_000 }, () => {
  it("goes on after a closed watch from the last version that it saw, without listing everything again", async () => {
    const { double, mirror, seen, until } = await mirrorOf([podOf("a", 5)]);
    const first = await double.watch();
    assert.equal(first.from, "10");
    first.tell("MODIFIED", podOf("a", 11));
    first.tell("BOOKMARK", { metadata: { resourceVersion: "15" } });
    first.answer.end();
    const second = await double.watch();
    assert.equal(second.from, "15");
    second.tell("DELETED", podOf("a", 16));
    await until("uid-a gone");
    second.answer.destroy(); // a connection that breaks is no different
    assert.equal((await double.watch()).from, "16");
    assert.deepEqual(seen, ["uid-a@5", "uid-a@11", "uid-a gone"]);
    assert.equal(mirror.lists, 1);
  });

  it("lists again when its version is too old, and learns what it missed", async () => {
    const { double, mirror, seen, until } = await mirrorOf([podOf("a", 5), podOf("b", 6)]);
    const first = await double.watch();
    double.listed = { version: "30", items: [podOf("a", 25)] };
    double.there = [podOf("a", 25)];
    first.tell("ERROR", { code: 410, reason: "Expired", message: "too old resource version: 10 (20)" });
    assert.equal((await double.watch()).from, "30");
    await until("uid-b gone");
    assert.deepEqual(seen, ["uid-a@5", "uid-b@6", "uid-a@25", "uid-b gone"]);
    assert.equal(mirror.lists, 2);
  });

  it("also lists again when a new watch is answered with 410", async () => {
    const { double, mirror, until } = await mirrorOf([podOf("a", 5)]);
    const first = await double.watch();
    double.listed = { version: "30", items: [podOf("a", 25)] };
    double.refuse = { watch: 410 };
    first.answer.end();
    assert.equal((await double.watch()).from, "30");
    await until("uid-a@25");
    assert.equal(mirror.lists, 2);
  });

  it("takes nothing back for a list that is behind what it saw: no older state, and no object that is still there", async () => {
    const { double, mirror, seen } = await mirrorOf([podOf("a", 5)]);
    const first = await double.watch();
    double.there = [podOf("a", 21), podOf("b", 22)];
    mirror.put(podOf("a", 21));
    mirror.put(podOf("b", 22));
    double.listed = { version: "20", items: [podOf("a", 5)] };
    first.tell("ERROR", { code: 410, reason: "Expired", message: "too old" });
    await double.watch();
    assert.deepEqual(seen, ["uid-a@5", "uid-a@21", "uid-b@22"]);
    assert.equal(mirror.get("ns/b")?.metadata.resourceVersion, "22");
  });

  it("is not brought back by a late answer after it is gone", async () => {
    const { double, mirror, until } = await mirrorOf([podOf("a", 5)]);
    const { tell } = await double.watch();
    tell("DELETED", podOf("a", 12));
    await until("uid-a gone");
    mirror.put(podOf("a", 11));
    assert.equal(mirror.get("ns/a"), undefined);
  });

  it("tells that an object is gone before another one that has its name", async () => {
    const { double, mirror, seen, until } = await mirrorOf([podOf("a", 5)]);
    const first = await double.watch();
    const another = podOf("a", 25, "uid-other");
    double.listed = { version: "30", items: [another] };
    first.tell("ERROR", { code: 410, reason: "Expired", message: "too old" });
    await until("uid-other@25");
    assert.deepEqual(seen, ["uid-a@5", "uid-a gone", "uid-other@25"]);
    mirror.put(podOf("a", 6)); // an answer about the old one
    assert.equal(mirror.get("ns/a")?.metadata.uid, "uid-other");
  });

  it("reads an event that comes in pieces, cut within a character", async () => {
    const { double, mirror, until } = await mirrorOf([]);
    const { answer } = await double.watch();
    const line = Buffer.from(`${JSON.stringify({ type: "ADDED", object: podOf("a", 11, "uid-a", "größer") })}\n`);
    const cut = line.indexOf(0xc3) + 1;
    answer.write(line.subarray(0, cut));
    await new Promise((resolve) => setTimeout(resolve, 20)); // else both would come as one piece
    answer.write(line.subarray(cut));
    await until("uid-a@11");
    assert.equal(mirror.get("ns/a")?.metadata.annotations?.text, "größer");
  });

  it("says at once that rights are missing, since waiting does not help", async () => {
    const { mirror } = await mirrorOf([], { list: 403 });
    await assert.rejects(mirror.ready(60_000), { status: 403 });
  });
});
