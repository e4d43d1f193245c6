import assert from "node:assert/strict";
import { createHmac, randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setImmediate as otherTurn } from "node:timers/promises";
import { canonicalJson, type Event, type JobNo } from "@tessera/core";
import type { JournalRow } from "../journal/format.ts";
import { joinLines } from "../journal/lines.ts";
import { draftAfter, emptyJournal, headOf, sealRow } from "../journal/row.ts";
import { Webhook } from "./webhook.ts";

const key = randomBytes(32);
const reached = (account: string): Event => ({
  kind: "budget-reached",
  v: 1,
  at: 1_000,
  account,
  stop: "stop-burst",
  perMille: 1_000,
  spentMicros: "5000000",
});
const other: Event = { kind: "user-created", v: 1, at: 1_000, user: "usr_1" as never };

/** A journal of rows, each with the given events. */
function journalOf(...batches: Event[][]) {
  const rows: JournalRow[] = [];
  let head = emptyJournal;
  for (const [i, events] of batches.entries()) {
    const lines = events.map(canonicalJson);
    const draft = draftAfter(head, {
      at: 1_000,
      op: `op_${i}`,
      epoch: 0,
      inputs: joinLines([]),
      events: joinLines(lines),
      salt: randomBytes(16),
    });
    const row = sealRow(draft, head);
    rows.push(row);
    head = headOf(row);
  }
  return {
    rows: async (from: number, count: number) => rows.slice(from - 1, from - 1 + count),
    head: async () => head,
  };
}

interface Heard {
  readonly body: { readonly id: string; readonly type: string; readonly data: { readonly account: string } };
  readonly signature: string;
  readonly text: string;
}

async function receiver(t: TestContext, statuses: number[]) {
  const heard: Heard[] = [];
  let tell = () => {};
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => {
      text += chunk;
    });
    request.on("end", () => {
      heard.push({ body: JSON.parse(text), signature: String(request.headers["tessera-signature"]), text });
      response.writeHead(statuses.shift() ?? 204).end();
      tell();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const until = (count: number) =>
    new Promise<void>((resolve) => {
      tell = () => heard.length >= count && resolve();
      tell();
    });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, heard, until };
}

function start(t: TestContext, folder: string, url: string, journal: ReturnType<typeof journalOf>) {
  const pauses: number[] = [];
  const webhook = new Webhook({
    url,
    key,
    cursorFile: join(folder, "cursor"),
    startFrom: 0,
    headSeq: 99,
    reader: journal,
    sleep: async (ms) => void pauses.push(ms),
    now: () => 7_000,
    warn: () => {},
  });
  t.after(() => webhook.close());
  return { webhook, pauses };
}

/** Until that many were taken, and that was written down. */
async function taken(webhook: Webhook, count: number, folder: string): Promise<void> {
  const done = () => webhook.status.delivered >= count && existsSync(join(folder, "cursor"));
  while (!done()) await otherTurn();
}

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "webhook-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

test("[S32] what is committed is told in order, signed, and nothing else is", async (t) => {
  const folder = folderOf(t);
  const { url, heard, until } = await receiver(t, []);
  const { webhook } = start(t, folder, url, journalOf([other, reached("lab")], [other], [reached("studio")]));
  await until(2);
  await webhook.close();
  assert.deepEqual(
    heard.map(({ body }) => [body.id, body.type, body.data.account]),
    [
      ["1.1", "tessera.budget-reached", "lab"],
      ["3.0", "tessera.budget-reached", "studio"],
    ],
  );
  const signed = createHmac("sha256", key).update(`7.${heard[0]!.text}`).digest("hex");
  assert.equal(heard[0]!.signature, `t=7,v1=${signed}`);
});

test("forecasts, jobs beyond their own budget and credit limits are told too", async (t) => {
  const foreseen = { account: "lab", over: true, forecastMicros: "9000000", spentAt: 5_000 };
  const spent = { job: 7 as JobNo, budgetMicros: "12000000", spentMicros: "12000003" };
  const credit = { tenant: "lab", reached: true, owedMicros: "5000000" };
  const folder = folderOf(t);
  const { url, heard } = await receiver(t, []);
  const journal = journalOf(
    [{ kind: "budget-foreseen", v: 1, at: 1_000, ...foreseen }],
    [{ kind: "own-budget-spent", v: 1, at: 1_000, ...spent }, other],
    [{ kind: "credit-reached", v: 1, at: 1_000, ...credit }],
    [reached("last")],
  );
  const { webhook } = start(t, folder, url, journal);
  await taken(webhook, 4, folder);
  assert.deepEqual(
    heard.slice(0, 3).map(({ body }) => [body.id, body.type, body.data]),
    [
      ["1.0", "tessera.budget-foreseen", foreseen],
      ["2.0", "tessera.own-budget-spent", spent],
      ["3.0", "tessera.credit-reached", credit],
    ],
  );
});

test("a receiver that fails is asked again with the same id, ever more slowly", async (t) => {
  const folder = folderOf(t);
  const { url, heard } = await receiver(t, [500, 302, 503]);
  const { pauses, webhook } = start(t, folder, url, journalOf([reached("lab")]));
  await taken(webhook, 1, folder);
  assert.deepEqual([...new Set(heard.map(({ body }) => body.id))], ["1.0"]);
  assert.deepEqual(pauses, [1_000, 2_000, 4_000]);
  assert.deepEqual([webhook.status.delivered, webhook.status.failed], [1, 3]);
});

test("after a restart it goes on behind what was taken", async (t) => {
  const folder = folderOf(t);
  const { url, heard, until } = await receiver(t, []);
  const first = start(t, folder, url, journalOf([reached("lab")]));
  await taken(first.webhook, 1, folder);
  await first.webhook.close();
  assert.equal(readFileSync(join(folder, "cursor"), "utf8"), "1\n");
  start(t, folder, url, journalOf([reached("lab")], [reached("studio")]));
  await until(2);
  assert.deepEqual(
    heard.map(({ body }) => body.data.account),
    ["lab", "studio"],
  );
});
