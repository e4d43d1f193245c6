import { isRefusal, parseDuration, spelled } from "@tessera/core";
import { openFrozenReader, type StoreReader, storePlaceOf, withStoreKeys } from "@tessera/server";
import { BadInput, exit, parseOptions, readSacct, type Terminal, WrongUsage } from "@tessera/sim";
import { Change, type ChangeText } from "./change.ts";
import { compare, figuresOf, sumOf } from "./compare.ts";
import { CostBook } from "./cost.ts";
import { type History, HistoryBook } from "./history.ts";
import { recordedBatches } from "./journal.ts";
import { pageOf } from "./page.ts";
import { type Report, tableOf } from "./report.ts";
import { rerun } from "./rerun.ts";
import { sacctHistory } from "./sacct.ts";
import { SameDecisions } from "./same-decisions.ts";
import { savingsOf } from "./savings.ts";
import { Tally } from "./tally.ts";

/** Replays a server's own journal, or the accounting of a Slurm cluster, under another quota, policy or fleet. */
export async function runWhatIf(args: readonly string[], { out, err }: Terminal): Promise<number> {
  const { values, positionals } = parseOptions(args, {
    data: { type: "string" },
    database: { type: "string" },
    sacct: { type: "string" },
    fleet: { type: "string" },
    from: { type: "string", default: "7d" },
    set: { type: "string", multiple: true, default: [] },
    policy: { type: "string", multiple: true, default: [] },
    nodes: { type: "string", multiple: true, default: [] },
    "hard-quotas": { type: "boolean", default: false },
    output: { type: "string", short: "o", default: "table" },
    progress: { type: "boolean", default: false },
  });
  if (positionals.length > 0) throw new WrongUsage(`unknown word ${positionals[0]}; all of what-if are options`);
  const write = writers[values.output as keyof typeof writers];
  if (write === undefined) throw new WrongUsage(`unknown output ${values.output}; write -o table, json or html`);
  const hardQuotas = values["hard-quotas"];
  const changed: ChangeText = {
    ...{ sets: values.set, policies: values.policy, nodes: values.nodes },
    ...(hardQuotas && { hardQuotas }),
  };
  const change = new Change(changed);
  const tell: Tell = values.progress ? (step, done) => err(JSON.stringify({ step, done })) : () => {};
  const { history, replay, recorded } = await pastOf(values, (done) => tell("reads the journal", done / 2));
  tell("replays the past as it was", 1 / 2);
  const asItWas = rerun(history, new Change({ sets: [], policies: [], nodes: [] }));
  tell("replays the past with the change", 3 / 4);
  const otherwise = rerun(history, change);
  const unmet = change.unmet();
  if (unmet !== undefined) throw new WrongUsage(unmet);
  const { endUnknown } = otherwise;
  const { from, to } = history;
  const savings = hardQuotas && { savings: savingsOf(asItWas, otherwise) };
  out(write({ from, to, changed, replay, recorded, endUnknown, ...savings, ...compare(asItWas, otherwise) }));
  return exit.ok;
}

/** For a program that waits: what is done now, and how much of all is done, from 0 to 1. */
type Tell = (step: string, done: number) => void;

interface Past extends Pick<Report, "replay" | "recorded"> {
  readonly history: History;
}

interface PastOptions {
  readonly data?: string;
  readonly database?: string;
  readonly sacct?: string;
  readonly fleet?: string;
  readonly from: string;
}

/** Of a server's journal, or of a Slurm cluster's accounting. */
async function pastOf(values: PastOptions, read: (done: number) => void): Promise<Past> {
  if (values.sacct !== undefined) {
    if (values.fleet === undefined) throw new WrongUsage("--sacct needs the --fleet it was of, for example 16x8");
    const jobs = readSacct(values.sacct);
    if (jobs.length === 0) throw new BadInput(`${values.sacct}: no job in it had GPUs and ran`);
    return { ...sacctHistory(jobs, values.fleet), replay: null };
  }
  const reader = await openPast(storePlaceOf(values, process.env));
  try {
    return await readHistory(reader, values.from, read);
  } finally {
    await reader.close();
  }
}

const writers = {
  table: tableOf,
  json: (report: Report) => JSON.stringify(spelled(report)),
  html: pageOf,
} as const;

async function openPast(place: ReturnType<typeof storePlaceOf>): ReturnType<typeof openFrozenReader> {
  try {
    return await openFrozenReader((await withStoreKeys(place)).store);
  } catch (cause) {
    const name = "dir" in place.store ? place.store.dir : "the database";
    throw new WrongUsage(`${name} cannot be read (--data): ${(cause as Error).message}`, {
      cause,
    });
  }
}

/** How many batches are read between two words of how far it has come. */
const batchesPerWord = 2_000;

async function readHistory(reader: StoreReader, from: string, read: (done: number) => void): Promise<Past> {
  const head = await reader.head();
  const [newest] = await reader.rows(Math.max(1, head.seq), 1);
  if (newest === undefined) throw new WrongUsage("the journal is empty: there is no past to look at");
  const [oldest] = await reader.rows(1, 1);
  const startAt = Math.max(oldest!.at, fromOf(from, newest.at));
  const book = new HistoryBook(startAt);
  const same = new SameDecisions();
  let seen: { readonly tally: Tally; readonly costs: CostBook } | undefined;
  for await (const batch of recordedBatches(reader)) {
    if (same.batches % batchesPerWord === 0) read(batch.seq / head.seq);
    book.begin(batch, same.recorded);
    if (batch.at >= startAt) {
      seen ??= { tally: new Tally(startAt, same.recorded), costs: new CostBook(startAt, same.recorded) };
    }
    same.see(batch, (event, state) => {
      book.see(event, state);
      seen?.tally.see(event, state);
      seen?.costs.see(event, state);
    });
  }
  const history = book.finish(same.recorded);
  const tales = seen?.tally.finish(same.recorded, history.to).tales;
  const costMicros = sumOf(seen?.costs.finish(same.recorded, history.to));
  return {
    history,
    replay: {
      batches: same.batches,
      differences: same.differences.length,
      sameState: same.endsAlike(),
      stateHash: same.stateHash(),
      first: same.differences[0] ?? null,
    },
    recorded: figuresOf([...(tales?.values() ?? [])], costMicros),
  };
}

/** `7d` before the newest entry, or an instant. */
function fromOf(text: string, newest: number): number {
  const ms = parseDuration(text, "--from");
  if (!isRefusal(ms)) return newest - ms;
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw new WrongUsage(`--from ${text}: write how long ago, such as 7d, or an instant`);
  if (at > newest) throw new WrongUsage(`--from ${text}: the newest entry is of ${new Date(newest).toISOString()}`);
  return at;
}
