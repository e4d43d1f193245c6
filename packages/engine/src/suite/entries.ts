import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import type { Readable } from "node:stream";
import { describe, it, type TestContext } from "node:test";
import type { LeaseId } from "@tessera/core";
import { type Entry, type EntryAsk, EntryRefused } from "../entry.ts";
import { type InsideCommands, type OpenHarness, withEngine } from "./harness.ts";
import { plainStop, type Session } from "./session.ts";

type Body = (session: Session, inside: InsideCommands, t: TestContext) => Promise<void>;

export function describeEntries(open: OpenHarness): void {
  /** Of an engine whose members have no inside, only that it says so is asked. */
  const promise = (body: Body) =>
    withEngine(open, async (session: Session, t: TestContext) => {
      if (session.inside !== undefined) return body(session, session.inside, t);
      const lease = await session.start(session.orderOf(session.commands.runForever));
      await assert.rejects(session.engine.open(lease, exec("true")), EntryRefused);
      await assert.rejects(session.engine.ports(lease), EntryRefused);
      t.diagnostic("members of this engine have no inside");
      return undefined;
    });

  describe("entries", () => {
    it(
      "run a command as the member, keep its output and errors apart, and tell its exit code",
      promise(async (session, inside) => {
        const order = session.orderOf(session.commands.runForever);
        const lease = await session.start(order);
        const { print, exitWith } = session.commands;
        const line = [print("out"), inside.printErrors("err"), inside.printJob, exitWith(7)].join("; ");
        const entry = await session.engine.open(lease, exec(line));
        const [output, errors] = await Promise.all([textOf(entry.output), textOf(entry.errors)]);
        assert.deepEqual([output, errors], [`out\n${order.job}\n`, "err\n"]);
        assert.deepEqual(await entry.ended, { code: 7 });
        assert.equal((await session.listed(lease))?.state, "running");
      }),
    );

    it(
      "pass input on to its end, unchanged, however slowly the output is read",
      promise(async (session, inside) => {
        const lease = await session.start(session.orderOf(session.commands.runForever));
        const entry = await session.engine.open(lease, exec(inside.copyInput));
        entry.errors.resume();
        const sent = randomBytes(3 << 20);
        entry.input.end(sent);
        await session.quiet();
        assert.ok(entry.output.readableLength < sent.length, "what nobody reads is not all taken into memory");
        assert.equal(await hashOf(entry.output), createHash("sha256").update(sent).digest("hex"));
        assert.deepEqual(await entry.ended, { code: 0 });
      }),
    );

    it(
      "give a terminal of the size that is asked for, and of another one later",
      promise(async (session, inside) => {
        const lease = await session.start(session.orderOf(session.commands.runForever));
        const terminal = { columns: 91, rows: 31, name: "xterm-256color" };
        const { sleepMs } = session.commands;
        const look = [inside.printSize, sleepMs(100)].join("; ");
        const entry = await session.engine.open(lease, exec(`while :; do ${look}; done`, terminal));
        entry.errors.resume();
        let shown = "";
        entry.output.on("data", (part: Buffer) => {
          shown += part.toString("latin1");
        });
        await session.untilTrue("the first size is shown", () => shown.includes("31 91"));
        entry.resize({ columns: 120, rows: 40 });
        await session.untilTrue("the second size is shown", () => shown.includes("40 120"));
        entry.input.write(Buffer.of(3)); // Ctrl-C
        assert.deepEqual(await entry.ended, { code: 130 });
      }),
    );

    it(
      "end with the member, with the one who opened them, and with the control plane",
      promise(async (session) => {
        const lease = await session.start(session.orderOf(session.commands.runForever));
        const opened = await openForever(session, lease);
        opened.close();
        assert.ok("broken" in (await opened.ended));

        const before = await openForever(session, lease);
        await session.reopen();
        before.close(); // a process that dies closes its sockets

        const last = await openForever(session, lease);
        await session.engine.stop(lease, plainStop);
        await last.ended; // by the signal, which is for all processes of the member, or with the member
        await session.until(lease, "exited");
      }),
    );

    it(
      "are refused where nothing runs",
      promise(async (session) => {
        const held = await session.hold(session.orderOf(session.commands.runForever));
        const ended = session.orderOf(session.commands.succeed);
        await session.runToEnd(ended);
        for (const lease of [held, ended.lease, "job_stranger-1-0" as LeaseId]) {
          await assert.rejects(session.engine.open(lease, exec("true")), EntryRefused);
          await assert.rejects(session.engine.ports(lease), EntryRefused);
        }
      }),
    );

    it(
      "reach the ports that the member listens on, and no other",
      promise(async (session, inside, t) => {
        if (session.lacks(t, "be reached at ports")) return;
        const [free, port] = await listening();
        const [stranger, foreign] = await listening();
        free.close();
        const lease = await session.start(session.orderOf(inside.echoOn(port)));
        try {
          await session.untilTrue("the member listens", async () => (await session.printed(lease)).includes("listens"));
          assert.deepEqual(await session.engine.ports(lease), [port]);
          await assert.rejects(session.engine.open(lease, { kind: "port", port: foreign }), EntryRefused);

          const entry = await session.engine.open(lease, { kind: "port", port });
          entry.errors.resume();
          const sent = randomBytes(1 << 20);
          entry.input.end(sent); // the other direction stays open
          assert.equal(await hashOf(entry.output), createHash("sha256").update(sent).digest("hex"));
          assert.deepEqual(await entry.ended, { code: 0 });
        } finally {
          stranger.close();
        }
      }),
    );
  });
}

function exec(command: string, terminal?: Extract<EntryAsk, { kind: "exec" }>["terminal"]): EntryAsk {
  return { kind: "exec", command, ...(terminal && { terminal }) };
}

async function openForever(session: Session, lease: LeaseId): Promise<Entry> {
  const { print, runForever } = session.commands;
  const entry = await session.engine.open(lease, exec([print("up"), runForever].join("; ")));
  await new Promise((resolve) => entry.output.once("data", resolve));
  entry.output.resume();
  entry.errors.resume();
  return entry;
}

async function textOf(stream: Readable): Promise<string> {
  let text = "";
  for await (const part of stream) text += part;
  return text;
}

async function hashOf(stream: Readable): Promise<string> {
  const hash = createHash("sha256");
  for await (const part of stream) hash.update(part as Buffer);
  return hash.digest("hex");
}

/** A server that answers at a port which was free, and that port. */
async function listening(): Promise<readonly [Server, number]> {
  const server = createServer((socket) => void socket.end("a port of another")).listen(0, "127.0.0.1");
  await once(server, "listening");
  return [server, (server.address() as AddressInfo).port];
}
