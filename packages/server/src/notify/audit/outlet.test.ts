import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHmac, randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createServer as createTlsServer } from "node:tls";
import type { Command } from "@tessera/core";
import { openMemoryStore } from "../../store/index.ts";
import type { AuditRow } from "../../store/port.ts";
import { auditOf, batchAfter } from "../../testing/batches.ts";
import { AuditOutlet } from "./outlet.ts";
import type { AuditRecord } from "./record.ts";
import { parseAuditTarget } from "./target.ts";

const key = randomBytes(32);
const root = mkdtempSync(join(tmpdir(), "tessera-outlet-"));
after(() => rmSync(root, { recursive: true, force: true }));
const [cert, certKey] = [join(root, "cert.pem"), join(root, "key.pem")];
const made = spawnSync("openssl", [
  ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1"],
  ...["-subj", "/CN=localhost", "-keyout", certKey, "-out", cert],
]);
const noOpenssl = made.status !== 0 && "no openssl to make a certificate with";

/** A store with records, and outlets of it that are opened and closed like those of a server. */
class Ground {
  readonly store = openMemoryStore();
  readonly folder = mkdtempSync(join(root, "ground-"));
  readonly noted: Command[] = [];
  readonly warned: string[] = [];
  readonly turns: string[] = [];
  readonly #t: TestContext;

  constructor(t: TestContext) {
    this.#t = t;
  }

  async record(...changes: readonly Partial<AuditRow>[]): Promise<void> {
    for (const change of changes) {
      const head = await this.store.head();
      await this.store.append(batchAfter(head, { projected: { audit: [auditOf({ seq: head.seq + 1, ...change })] } }));
    }
  }

  async open(text: string): Promise<AuditOutlet> {
    const target = parseAuditTarget(text);
    if (typeof target === "string") throw new Error(target);
    const ask = async (command: Command) => {
      this.noted.push(command);
      return { repeated: false, at: 0 };
    };
    const outlet = new AuditOutlet({
      target,
      control: { reader: this.store, ask, now: () => 7_000 },
      headSeq: (await this.store.head()).seq,
      fileOf: (name) => join(this.folder, name),
      key,
      sleep: async (ms, signal) => void (await sleep(Math.min(ms, 20), undefined, { signal }).catch(() => {})),
      warn: (line) => this.warned.push(line),
      turned: (_, fault) => this.turns.push(fault === undefined ? "over" : "failing"),
    });
    this.#t.after(() => outlet.close());
    return outlet;
  }
}

const news = { seq: 0, at: 0, events: [] };

async function until(done: () => boolean): Promise<void> {
  while (!done()) await sleep(5);
}

function recordsIn(text: string): AuditRecord[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as AuditRecord);
}

/** Takes syslog messages by their length, as RFC 5425 has it. */
function framesOf(bytes: Buffer): string[] {
  const frames: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(" ", at);
    const length = Number(bytes.subarray(at, space).toString());
    assert.ok(Number.isInteger(length) && length > 0, bytes.subarray(at, at + 40).toString());
    frames.push(bytes.subarray(space + 1, space + 1 + length).toString("utf8"));
    at = space + 1 + length;
  }
  return frames;
}

class SyslogReceiver {
  readonly sockets: Socket[] = [];
  #chunks: Buffer[] = [];
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async listen(t: TestContext, tls: boolean, port = 0): Promise<SyslogReceiver> {
    const take = (socket: Socket) => {
      receiver.sockets.push(socket);
      socket.on("error", () => {}).on("data", (chunk) => receiver.#chunks.push(chunk));
    };
    const server = tls
      ? createTlsServer({ cert: readFileSync(cert), key: readFileSync(certKey) }, take)
      : createTcpServer(take);
    const receiver = new SyslogReceiver(server);
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    t.after(() => receiver.stop());
    return receiver;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get messages(): string[] {
    return framesOf(Buffer.concat(this.#chunks));
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

describe("the audit in a file", () => {
  it("holds each record once and in order, from the first use on, and goes on after a restart", async (t) => {
    const ground = new Ground(t);
    const path = join(ground.folder, "out", "audit.jsonl");
    await ground.record({ target: "before" });
    const outlet = await ground.open(`file:${path}`);
    await ground.record({ target: "a", detail: 'line\nbreak "quoted"' }, { target: "b", origin: "org_1", count: 3 });
    outlet.after(news);
    await until(() => outlet.status.delivered === 2);
    await outlet.close();
    await ground.record({ target: "c" });
    const again = await ground.open(`file:${path}`);
    await until(() => again.status.delivered === 1);
    const text = readFileSync(path, "utf8");
    assert.deepEqual(
      recordsIn(text).map(({ id, target, origin, count }) => [id, target, origin, count]),
      [
        ["2.0", "a", undefined, undefined],
        ["3.0", "b", "org_1", 3],
        ["4.0", "c", undefined, undefined],
      ],
    );
    assert.equal(text.split("\n").length, 4);
  });

  it("is put aside when it is full, and the oldest goes", async (t) => {
    const ground = new Ground(t);
    const path = join(ground.folder, "audit.jsonl");
    const outlet = await ground.open(`file:${path}#max-mb=1&keep=2`);
    for (let i = 0; i < 5; i++) {
      await ground.record({ target: `t${i}`, detail: "x".repeat(600_000) });
      outlet.after(news);
      await until(() => outlet.status.delivered === i + 1);
    }
    const files = readdirSync(ground.folder)
      .filter((name) => name.startsWith("audit.jsonl"))
      .sort();
    assert.deepEqual(files, ["audit.jsonl", "audit.jsonl.1", "audit.jsonl.2"]);
    const targets = files.map((name) => recordsIn(readFileSync(join(ground.folder, name), "utf8"))[0]?.target);
    assert.deepEqual(targets, ["t4", "t3", "t2"]);
  });

  it("begins a new line after half of one", async (t) => {
    const ground = new Ground(t);
    const path = join(ground.folder, "audit.jsonl");
    writeFileSync(path, '{"id":"1.0","half');
    const outlet = await ground.open(`file:${path}`);
    await ground.record({ target: "whole" });
    outlet.after(news);
    await until(() => outlet.status.delivered === 1);
    assert.equal(recordsIn(readFileSync(path, "utf8").split("\n")[1]!)[0]?.target, "whole");
  });

  it("is a failure that can be seen where it cannot be written, and nothing is lost", async (t) => {
    const ground = new Ground(t);
    writeFileSync(join(ground.folder, "wall"), "");
    const outlet = await ground.open(`file:${ground.folder}/wall/audit.jsonl`);
    await ground.record({ target: "a" });
    outlet.after(news);
    await until(() => outlet.status.failed >= 2);
    assert.equal(outlet.status.isFailing, true);
    assert.match(ground.warned[0]!, /audit to file:.*wall\/audit.jsonl: 1 not taken \(.*\); again in 1 s/);
    rmSync(join(ground.folder, "wall"));
    await until(() => outlet.status.delivered === 1);
    assert.deepEqual(ground.turns, ["failing", "over"]);
    assert.deepEqual(
      ground.noted.map(
        (command) => command.kind === "audit.note" && command.notes.map(({ action, outcome }) => [action, outcome]),
      ),
      [[["audit.send", "failed"]], [["audit.send", "changed"]]],
    );
  });

  it("names people and addresses only where the owner asks for it", async (t) => {
    const ground = new Ground(t);
    const person = Buffer.from(JSON.stringify({ name: "Ada" }));
    const address = Buffer.from(JSON.stringify({ address: "192.0.2.7" }));
    await ground.store.writePrivates([
      { kind: "person", key: "user_ada", value: person },
      { kind: "origin", key: "org_1", value: address },
    ]);
    const [plain, named] = [join(ground.folder, "plain"), join(ground.folder, "named")];
    const outlets = [await ground.open(`file:${plain}`), await ground.open(`file:${named}#people=shown`)];
    await ground.record({ origin: "org_1" });
    for (const outlet of outlets) outlet.after(news);
    await until(() => outlets.every(({ status }) => status.delivered === 1));
    assert.doesNotMatch(readFileSync(plain, "utf8"), /Ada|192\.0/);
    const [{ actorName, address: shown, actor } = assert.fail()] = recordsIn(readFileSync(named, "utf8"));
    assert.deepEqual([actor, actorName, shown], ["user_ada", "Ada", "192.0.2.7"]);
  });

  it("begins again where a restored journal has fewer rows than were sent", async (t) => {
    const ground = new Ground(t);
    const path = join(ground.folder, "audit.jsonl");
    await ground.record({ target: "old" });
    await (await ground.open(`file:${path}`)).close();
    const [cursor] = readdirSync(ground.folder).filter((name) => name.endsWith(".cursor"));
    writeFileSync(join(ground.folder, cursor ?? assert.fail("no cursor was kept")), "900.0\n");
    await ground.record({ target: "restored" });
    const outlet = await ground.open(`file:${path}`);
    await until(() => outlet.status.delivered === 1);
    assert.deepEqual(
      recordsIn(readFileSync(path, "utf8")).map(({ target }) => target),
      ["restored"],
    );
  });
});

describe("the audit over syslog", () => {
  it("reaches a receiver over TLS whose certificate is the one that was named", { skip: noOpenssl }, async (t) => {
    const ground = new Ground(t);
    const receiver = await SyslogReceiver.listen(t, true);
    const outlet = await ground.open(`syslog+tls://localhost:${receiver.port}#ca=${cert}`);
    await ground.record(
      { target: 'a"]\\b', detail: "one\ntwo ü", outcome: "refused", action: "job.logs" },
      { target: "b", token: "tok_1" },
    );
    outlet.after(news);
    await until(() => outlet.status.delivered === 2);
    const [first, second] = receiver.messages;
    assert.match(
      first!,
      /^<108>1 2026-01-01T00:00:00\.000Z \S+ tessera \d+ job\.logs \[tessera@32473 id="1\.0" actor="user_ada" /,
    );
    assert.ok(first!.includes('target="a\\"\\]\\\\b"'), first);
    assert.ok(first!.endsWith('\uFEFFuser_ada job.logs a"]\\b refused: one#012two ü'), first);
    assert.match(second!, /^<110>1 .* token="tok_1" /);
  });

  it("is not sent where the certificate is another's", { skip: noOpenssl }, async (t) => {
    const ground = new Ground(t);
    const receiver = await SyslogReceiver.listen(t, true);
    const outlet = await ground.open(`syslog+tls://localhost:${receiver.port}`);
    await ground.record({ target: "a" });
    outlet.after(news);
    await until(() => outlet.status.failed >= 1);
    assert.match(ground.warned[0]!, /self-signed certificate/);
    assert.deepEqual(receiver.messages, []);
  });

  it("misses nothing when the receiver goes away and comes back", async (t) => {
    const ground = new Ground(t);
    const first = await SyslogReceiver.listen(t, false);
    const { port } = first;
    const outlet = await ground.open(`syslog+tcp://127.0.0.1:${port}`);
    await ground.record({ target: "a" });
    outlet.after(news);
    await until(() => outlet.status.delivered === 1);
    await first.stop();
    await ground.record({ target: "b" }, { target: "c" });
    outlet.after(news);
    await until(() => outlet.status.failed >= 1);
    const second = await SyslogReceiver.listen(t, false, port);
    await until(() => outlet.status.delivered === 3);
    const targets = second.messages.map((message) => /target="(\w)"/.exec(message)?.[1]);
    assert.deepEqual([...new Set(targets)], ["b", "c"]);
  });
});

describe("the audit to a collector", () => {
  it("is posted as lines of JSON, signed, with the token of a file, until it is taken", async (t) => {
    const ground = new Ground(t);
    const heard: { text: string; headers: Record<string, unknown> }[] = [];
    const statuses = [503, 200];
    const server = createHttpServer((request, response) => {
      let text = "";
      request.on("data", (chunk) => {
        text += chunk;
      });
      request.on("end", () => {
        heard.push({ text, headers: request.headers });
        response.writeHead(statuses.shift() ?? 204).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    t.after(() => server.close());
    const tokenFile = join(ground.folder, "token");
    writeFileSync(tokenFile, "collector-token\n");
    const { port } = server.address() as AddressInfo;
    const outlet = await ground.open(`http://127.0.0.1:${port}/in?x=1#token-file=${tokenFile}`);
    await ground.record({ target: "a" }, { target: "b" });
    outlet.after(news);
    await until(() => outlet.status.delivered === 2);
    assert.equal(outlet.status.name, `audit to http://127.0.0.1:${port}/in`);
    const { text, headers } = heard.at(-1)!;
    assert.deepEqual(
      recordsIn(text).map(({ target }) => target),
      ["a", "b"],
    );
    assert.deepEqual(
      [headers["content-type"], headers.authorization],
      ["application/x-ndjson", "Bearer collector-token"],
    );
    const signed = createHmac("sha256", key).update(`7.${text}`).digest("hex");
    assert.equal(headers["tessera-signature"], `t=7,v1=${signed}`);
    assert.equal(outlet.status.failed, 1);
  });
});

describe("a place to send the audit to", () => {
  const refused: readonly (readonly [string, RegExp])[] = [
    ["nowhere", /is not a place .* use file:/],
    ["ftp://x/y", /is not a place/],
    ["file:relative", /^needs an absolute path|is not a place/],
    ["file:/dir/", /absolute path of a file/],
    ["file:/a#max-mb=0", /max-mb=0: use 1 to/],
    ["file:/a#keep=x", /keep=x: use/],
    ["file:/a#colour=red", /option colour, which it does not know; after # it takes max-mb, keep, people/],
    ["file:/a#people=all", /people=all: use shown or hidden/],
    ["syslog+tcp://logs.example.com:514", /clear text; use syslog\+tls/],
    ["syslog+tls://logs.example.com#cert=/a", /cert and key together/],
    ["http://collector.example.com/", /clear text; use https/],
    ["https://me:secret@collector.example.com/", /password in it; use token-file/],
  ];
  for (const [text, says] of refused) {
    it(`is refused as ${text}`, () => {
      const target = parseAuditTarget(text);
      assert.ok(typeof target === "string", JSON.stringify(target));
      assert.match(target, says);
    });
  }

  it("has the usual port and options where none is given", () => {
    assert.deepEqual(parseAuditTarget("syslog+tls://logs.example.com"), {
      kind: "syslog",
      name: "syslog+tls://logs.example.com:6514",
      people: false,
      host: "logs.example.com",
      port: 6514,
      tls: {},
    });
    assert.deepEqual(parseAuditTarget("file:///var/log/a%20b.jsonl"), {
      kind: "file",
      name: "file:/var/log/a b.jsonl",
      people: false,
      path: "/var/log/a b.jsonl",
      bytesMax: 100_000_000,
      keep: 10,
    });
  });
});
