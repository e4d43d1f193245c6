import { userInfo } from "node:os";
import { ringAt, ringPlaceIn } from "./access/ring/place.ts";
import { type KeptKey, platform, type Ring } from "./access/ring/ring.ts";
import { BadCall, type ServerConfig } from "./config.ts";

/** What is printed: as JSON, and in words. */
type Told = readonly [value: object, text: string];

interface KeyFlags {
  readonly account: string | undefined;
  readonly all: boolean;
  readonly master: boolean;
  readonly yes: boolean;
}

/** `tess admin key …`: data keys and what wraps them, also while the server runs; `keysIn` is the folder that holds `keys`. */
export async function dataKeys(
  { data, master }: Pick<ServerConfig, "data" | "master">,
  keysIn: string | undefined,
  verb: string | undefined,
  flags: KeyFlags,
): Promise<Told> {
  const ring = ringAt(ringPlaceIn(keysIn ?? data, master));
  switch (verb) {
    case "get":
      return show(ring);
    case "rotate":
      return rotate(ring, flags);
    case "shred":
      return shred(ring, flags);
    default:
      throw new BadCall(
        "usage: tess admin key get | rotate --account ID | rotate --all | rotate --master | shred --account ID",
      );
  }
}

async function show(ring: Ring): Promise<Told> {
  const keys = ring.list().map((key) => ({ ...facts(key), seals: ring.of(key.of)[0]?.id === key.id }));
  const master = await ring.master.current().catch((error: Error) => error.message);
  const lines = keys.map(
    ({ id, of, version, madeAt, seals }) =>
      `${id}  ${of.padEnd(24)}  version ${version}  ${madeAt}  ${seals ? "seals" : "opens; goes when nothing needs it"}`,
  );
  return [
    { master, place: ring.master.place, keys },
    [`master key ${master}  ${ring.master.place}`, ...lines].join("\n"),
  ];
}

async function rotate(ring: Ring, { account, all, master }: KeyFlags): Promise<Told> {
  if (master) {
    await ring.rotateMaster();
    const id = await ring.master.current();
    return [
      { master: id, keys: ring.list().length },
      `the master key is ${id} now; ${ring.list().length} data keys were wrapped by it, and the one before is destroyed`,
    ];
  }
  const owners = all ? [...new Set(ring.list().map(({ of }) => of))] : [ownerOf(ring, account)];
  const made = await Promise.all(owners.map((owner) => ring.rotate(owner, userInfo().username)));
  return [
    { rotated: made.map(({ id, of }) => ({ id, of })) },
    `${made.map(({ id, of }) => `${of} seals with ${id} from now on`).join("\n")}\n` +
      "A running server, or the next one, has the new key take over what older ones sealed, then destroys them. " +
      "tess admin key get shows how far it is. Make a new backup when it is done.",
  ];
}

async function shred(ring: Ring, { account, yes }: KeyFlags): Promise<Told> {
  const owner = ownerOf(ring, account);
  if (owner === platform) throw new BadCall("the key of the platform cannot be shredded: rotate it");
  const keys = ring.of(owner);
  if (!yes)
    throw new BadCall(
      `this destroys ${keys.length} data keys of ${owner}: its secrets, logs, code and outputs can never be read again, ` +
        "by anyone. Usage, invoices and the journal stay. To do so, add --yes",
    );
  for (const { id } of keys) ring.shred(id, userInfo().username);
  return [
    { shredded: owner, keys: keys.map(facts) },
    `${keys.length} data keys of ${owner} are destroyed. Remove the .keys files of earlier backups, or their copies still open; ` +
      "then rotate the master key, so that blocks a disk may have kept open nothing: tess admin key rotate --master",
  ];
}

function ownerOf(ring: Ring, account: string | undefined): string {
  if (account === undefined)
    throw new BadCall("name whose key with --account: the id of a top-level account, or platform");
  if (ring.of(account).length === 0)
    throw new BadCall(`${account} has no data key here; tess admin key get shows which there are`);
  return account;
}

function facts({ id, of, version, madeAt }: KeptKey) {
  return { id, of, version, madeAt: new Date(madeAt).toISOString() };
}
