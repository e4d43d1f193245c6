import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { admin, personWithPassword } from "./backups.js";

const canary = "canary-7f3a91";

/** Fills a server with words that must stay inside, takes a backup, and looks for them in the file as a thief would. */
export async function proveStolenBackup({ openServer, place, say }) {
  const server = await openServer({ place });
  try {
    const planted = await plant(server);
    const file = join(server.data, "stolen.backup");
    const { code, said } = await admin({ place, data: server.data }, "backup", file);
    if (code !== 0) throw new Error(`no backup: ${said}`);
    const bytes = readFileSync(file);
    const readable = planted.filter(({ word }) => shows(bytes, word)).map(({ what }) => what);
    const stored = readFileSync(join(server.data, "store", "store.sqlite"));
    const wal = readFileSync(join(server.data, "store", "store.sqlite-wal"));
    const inStore = planted.filter(({ word }) => shows(stored, word) || shows(wal, word)).length;
    say(
      `stolen backup: ${planted.length} canaries, ${inStore} readable in the store, ${readable.length} in the backup`,
    );
    return {
      held: readable.length === 0 && inStore > 0,
      seen:
        readable.length === 0
          ? `${planted.length} canaries (${inStore} of them plain in the store): none in ${bytes.length} bytes of backup`
          : `readable in the backup: ${readable.join(", ")}`,
      canaries: planted.length,
      readable,
    };
  } finally {
    await server.close();
  }
}

async function plant(server) {
  const planted = [];
  const word = (what) => {
    const made = `${canary}-${what.replaceAll(" ", "-")}`;
    planted.push({ what, word: made });
    return made;
  };
  const name = word("user name");
  const password = "quiet rivers over seven stones"; // unlike the name: such a password would be refused
  const person = await personWithPassword(server, name, password);
  planted.push(
    { what: "password", word: password },
    { what: "token", word: person.token },
    { what: "owner token", word: server.owner },
  );
  for (const key of ["server", "secrets", "webhook", "signing", "backup"]) {
    const text = readFileSync(join(server.data, "keys", `${key}.key`), "utf8").trim();
    planted.push({ what: `${key}.key`, word: text });
  }
  await server.api("POST", "/v1/accounts", { path: word("account") });
  await server.api("PUT", "/v1/accounts/local/secrets/CANARY", { value: word("secret") });
  const job = await server.api("POST", "/v1/jobs", {
    project: "local",
    name: word("job name"),
    run: `echo ${word("log line")} && true ${word("command")}`,
    env: { CANARY: word("environment") },
    gpus: 1,
  });
  if (job.status >= 300) throw new Error(`the job was not taken: ${job.text}`);
  await server.tess("wait", job.json.id);
  return planted;
}

/** As it is, in two bytes a character, in base64 at any offset, in hex, or packed. */
function shows(bytes, word) {
  const plain = Buffer.from(word);
  const forms = [plain, Buffer.from(word, "utf16le"), Buffer.from(plain.toString("hex"))];
  for (const shift of [0, 1, 2]) {
    const coded = Buffer.concat([Buffer.alloc(shift), plain]).toString("base64");
    forms.push(Buffer.from(coded.slice(shift === 0 ? 0 : 4, -4)));
  }
  return forms.some((form) => form.length > 3 && bytes.includes(form)) || packedShows(bytes, plain);
}

function packedShows(bytes, plain) {
  for (
    let at = bytes.indexOf("\x1f\x8b\x08", 0, "latin1");
    at !== -1;
    at = bytes.indexOf("\x1f\x8b\x08", at + 1, "latin1")
  ) {
    try {
      if (gunzipSync(bytes.subarray(at)).includes(plain)) return true;
    } catch {} // three bytes that only look like the start of an archive
  }
  return false;
}
