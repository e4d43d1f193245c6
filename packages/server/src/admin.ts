import { parseArgs } from "node:util";
import { backupKey, restoreInto, writeBackup } from "./admin-backup.ts";
import { breakGlass } from "./admin-break-glass.ts";
import { dataKeys } from "./admin-data-keys.ts";
import { exportJournal, rotateKey } from "./admin-keys.ts";
import { sealJournal } from "./admin-seal.ts";
import { BadCall, parseConfig } from "./config.ts";
import { projections, verify } from "./flow/project/verify.ts";
import { beginEpoch } from "./flow/write/epoch.ts";
import type { JournalRow } from "./journal/format.ts";
import { linesOf } from "./journal/lines.ts";
import {
  lossOf,
  openCompared,
  openReader,
  openStore,
  type StoreConfig,
  StoreDamaged,
  StoreHeld,
  setUpWriter,
} from "./store/index.ts";
import { rewriteStore } from "./store/sqlite/rewrite.ts";
import { withStoreKeys } from "./store-keys.ts";

/** What an owner does to the store itself, beside or without a running server: `tess admin …`. */
const usage = `tess admin: checks and repairs the journal and the projections

  verify               check head file, chain, anchors, replay, snapshot, projections and private rows; names the first bad row
    --anchor FILE      heads that were kept outside, besides those of anchors that are folders
  rebuild              rebuild the projections from the journal (the server must be stopped)
  backup FILE          write a copy of everything, sealed with keys/backup.key, even while the server runs
  backup-key show      which key seals backups
  backup-key export FILE   a copy of that key, to be kept apart from the backups
  restore FILE         fill an empty store from a backup (the server must be stopped). All sessions, tokens and passwords end
    --since PLACE      the data folder or the database URL that went on after the backup: only what ended since then ends
    --unsealed         take a plain backup of an older version, which nothing protects
    --key-file FILE    the key, where the data folder does not hold it
  accept-loss [--yes]  go on with a store that lost rows, and write down in the journal which (the server must be stopped)
  postgres-setup       with the URL of the database's owner: bring the tables up to date, and make a role for the server
    --writer NAME      that can add to the journal and not change it (default tessera_writer); prints its URL once
  rotate-key           sign heads with a new key, which the old one signs for (the server must be stopped)
    --lost             the old key is gone: everyone who remembers it is warned
  key get              the data keys, one for each tenant, and what wraps them; these three work while the server runs
  key rotate           --account ID: a new data key for a tenant, or for platform; --all: for everyone; --master: a new master key
  key shred            --account ID --yes: destroy the data keys of a tenant. Its secrets, logs, code and outputs are gone for good
  break-glass          a link that signs a platform owner in once, within 10 minutes, for half an hour; everyone is told
    --user NAME        the owner's login name, where there are several; see docs/access.md
  journal export FILE  all rows, one a line (.jsonl), for tess-verify
  journal tail [-n N]  the newest rows
  journal show SEQ     one row with its inputs and events
  journal encrypt      seal all rows and tables of the store with a new key, and what is written from now on (the server must be
                       stopped; a database must be empty). Again: with another key. The hashes of rows stay as they are
  journal decrypt      take the seal off (the server must be stopped; not for a database)

  --data DIR, --database URL, --master-key FILE, --key-service URL --key-service-token FILE as for tess server; -o json
  --keys-in DIR        the folder of the root helper, where that holds the keys

Example: tess admin verify -o json`;

/** What needs no look at the store, or finds the keys by itself. */
const keyless = new Set(["backup-key", "restore", "key"]);

const exitBroken = 1;
const exitHeld = 73;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    args: process.argv.slice(2),
    allowPositionals: true,
    options: {
      data: { type: "string" },
      database: { type: "string" },
      output: { type: "string", short: "o" },
      json: { type: "boolean" },
      lines: { type: "string", short: "n" },
      yes: { type: "boolean" },
      "key-file": { type: "string" },
      since: { type: "string" },
      unsealed: { type: "boolean" },
      writer: { type: "string" },
      lost: { type: "boolean" },
      account: { type: "string" },
      all: { type: "boolean" },
      master: { type: "boolean" },
      "keys-in": { type: "string" },
      "master-key": { type: "string" },
      "key-service": { type: "string" },
      "key-service-token": { type: "string" },
      anchor: { type: "string", multiple: true },
      user: { type: "string" },
      help: { type: "boolean", short: "h" },
    },
  });
  const [verb, ...rest] = positionals;
  if (values.help || verb === undefined) return console.log(usage);
  const passed = [
    ...(values.data === undefined ? [] : ["--data", values.data]),
    ...(values.database === undefined ? [] : ["--database", values.database]),
    ...(["master-key", "key-service", "key-service-token"] as const).flatMap((name) => {
      const value = values[name];
      return value === undefined ? [] : [`--${name}`, value];
    }),
  ];
  const parsed = parseConfig(passed, process.env);
  if (parsed === "help") return;
  const config = keyless.has(verb) ? parsed : await withStoreKeys(parsed, values["keys-in"]);
  const json = values.json === true || values.output === "json";
  const print = (value: object, text: string): void => console.log(json ? JSON.stringify(value) : text);
  const place = { ...config, state: values["keys-in"] };
  switch (verb) {
    case "verify": {
      const { reader, comparison } = await openCompared(config.store);
      const told = "message" in comparison ? comparison.message : undefined;
      const found = await verify(reader, {
        anchors: values.anchor ?? [],
        progress: (rows) => process.stderr.isTTY && process.stderr.write(`\r${rows} rows`),
      });
      await reader.close();
      const verdict =
        found.sound && told !== undefined ? { ...found, sound: false, badSeq: found.rows, fault: told } : found;
      const text = verdict.sound
        ? `sound: ${verdict.rows} rows, ${verdict.events} events, head ${verdict.headHash.slice(0, 16)}, state ${verdict.stateHash.slice(0, 16)}`
        : `NOT SOUND${verdict.badSeq === undefined ? "" : ` at row ${verdict.badSeq}`}: ${verdict.fault}`;
      print(verdict, text);
      if (!verdict.sound) process.exitCode = exitBroken;
      return;
    }
    case "rebuild": {
      const old = await rebuild(config.store);
      const kept = old === undefined ? "" : `. The store was written anew; the damaged one is kept as ${old}`;
      return print({ rebuilt: true, old }, `the projections were rebuilt from the journal${kept}`);
    }
    case "backup":
      return print(...(await writeBackup(place, needed(rest[0], "tess admin backup FILE"))));
    case "backup-key":
      return print(...backupKey(place, rest));
    case "restore":
      return print(
        ...(await restoreInto(place, needed(rest[0], "tess admin restore FILE"), {
          keyFile: values["key-file"],
          since: values.since,
          unsealed: values.unsealed === true,
        })),
      );
    case "accept-loss": {
      const { reader, comparison } = await openCompared(config.store);
      await reader.close();
      if (comparison.is !== "lost" && comparison.is !== "damaged")
        return print({ accepted: false }, "nothing was lost: the store holds the row that its head file names");
      if (!values.yes) throw new BadCall(`${comparison.message}\nTo do so: tess admin accept-loss --yes`);
      const store = await openStore(config.store, { acceptLoss: true });
      const epoch = await beginEpoch(store, lossOf(comparison));
      await store.close();
      return print({ accepted: true, epoch }, `written down in the journal; epoch ${epoch} begins`);
    }
    case "rotate-key":
      return print(...(await rotateKey(config, values["keys-in"] ?? config.data, values.lost === true)));
    case "key": {
      const { account, all = false, master = false, yes = false } = values;
      return print(...(await dataKeys(config, values["keys-in"], rest[0], { account, all, master, yes })));
    }
    case "break-glass":
      return print(...breakGlass(config.data, values.user));
    case "postgres-setup":
      return print(...(await setUpPostgres(config.store, values.writer)));
    case "journal":
      if (rest[0] === "encrypt" || rest[0] === "decrypt")
        return print(...(await sealJournal(config, values["keys-in"], rest[0] === "encrypt")));
      if (rest[0] === "export")
        return print(...(await exportJournal(config, needed(rest[1], "tess admin journal export FILE"))));
      return showJournal(rest, values.lines, config.store, print);
    default:
      throw new BadCall(`unknown command ${verb}\n\n${usage}`);
  }
}

/** The role that the server should connect with, and its URL where it was made just now. */
async function setUpPostgres(place: StoreConfig, writer: string | undefined): Promise<readonly [object, string]> {
  if ("dir" in place) throw new BadCall("name the database with --database URL; the embedded store has no roles");
  const url = await setUpWriter(place, writer);
  if (url === undefined) return [{ made: false }, "the tables are up to date, and the role has the rights it needs"];
  return [
    { made: true, url },
    `the role was made. Start the server with this address, which is shown once:\nTESSERA_DATABASE_URL=${url}`,
  ];
}

/** Rebuilds the projections in place, or the whole file where its structure is damaged: its old name then. */
async function rebuild(place: StoreConfig): Promise<string | undefined> {
  const { reader, comparison } = await openCompared(place);
  const damaged = (await reader.faults()).length > 0;
  await reader.close();
  if (comparison.is === "lost") throw new StoreDamaged(comparison.message);
  if (damaged && "dir" in place) return rewriteStore(place, projections);
  const store = await openStore(place);
  await store.replaceProjections(projections(store));
  await store.close();
  return undefined;
}

async function showJournal(
  [what, seq]: readonly string[],
  lines: string | undefined,
  place: Parameters<typeof openReader>[0],
  print: (value: object, text: string) => void,
): Promise<void> {
  const reader = await openReader(place);
  const head = await reader.head();
  if (what === "tail") {
    const count = Number(lines ?? 10);
    const rows = await reader.rows(Math.max(1, head.seq - count + 1), count);
    for (const row of rows) print(rowDocument(row), rowLine(row));
  } else if (what === "show") {
    const [row] = await reader.rows(Number(needed(seq, "tess admin journal show SEQ")), 1);
    if (row === undefined) throw new BadCall(`there is no row ${seq}; the newest is ${head.seq}`);
    print(rowDocument(row), JSON.stringify(rowDocument(row), null, 2));
  } else {
    throw new BadCall("tess admin journal tail [-n N] | show SEQ | export FILE | encrypt | decrypt");
  }
  await reader.close();
}

function rowDocument(row: JournalRow): object {
  return {
    seq: row.seq,
    at: new Date(row.at).toISOString(),
    op: row.op,
    epoch: row.epoch,
    hash: Buffer.from(row.hash).toString("hex"),
    inputs: linesOf(row.inputs).map((line) => JSON.parse(line) as unknown),
    events: linesOf(row.events).map((line) => JSON.parse(line) as unknown),
  };
}

function rowLine(row: JournalRow): string {
  const kinds = linesOf(row.events).map((line) => (JSON.parse(line) as { kind: string }).kind);
  return `${String(row.seq).padStart(8)}  ${new Date(row.at).toISOString()}  ${kinds.join(" ").slice(0, 120)}`;
}

function needed(value: string | undefined, form: string): string {
  if (value === undefined) throw new BadCall(`usage: ${form}`);
  return value;
}

main().catch((error: Error) => {
  console.error(`tess admin: ${error.message}`);
  process.exit(error instanceof BadCall ? 2 : error instanceof StoreHeld ? exitHeld : 69);
});
