import assert from "node:assert/strict";
import { chmodSync, chownSync, copyFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { Authority, type Signed } from "@tessera/engine/suite";
import pg from "pg";
import { aboutPlain } from "../../about-database.ts";
import { emptyJournal } from "../../journal/row.ts";
import { batchAfter } from "../../testing/batches.ts";
import { startTestPostgres } from "../../testing/postgres.ts";
import { connect } from "./connect.ts";
import { openPostgresStore } from "./store.ts";

const given = process.env.TESSERA_TEST_DATABASE_URL;
const server = Authority.missing || given ? undefined : await startTestPostgres();
const skip = Authority.missing || (given && "not in a database of yours") || (server === undefined && "no PostgreSQL");

describe("PostgreSQL with TLS and a client certificate", { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), "tessera-pg-tls-"));
  const [cert, key] = [join(folder, "client.pem"), join(folder, "client.key")];
  let ours: Authority;
  let other: Authority;
  let admin: pg.Client;
  let database: string;
  let placed = 0;

  before(async () => {
    ours = new Authority("ours");
    other = new Authority("other");
    database = await server!.freshDatabase();
    admin = new pg.Client(server!.url);
    await admin.connect();
    await speak(ours.server("IP:127.0.0.1"), [
      "hostnossl all all 127.0.0.1/32 scram-sha-256",
      "hostssl all by_certificate 127.0.0.1/32 cert",
      "hostssl all all 127.0.0.1/32 scram-sha-256 clientcert=verify-full",
    ]);
    await admin.query("CREATE ROLE by_certificate LOGIN");
    use(ours.client("tessera"));
  });
  after(async () => {
    await admin.end();
    await server!.stop();
    for (const authority of [ours, other]) authority.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Has the running server show this certificate and let these in. */
  async function speak(shown: Signed, lines?: readonly string[]): Promise<void> {
    const { data_directory: data } = (await admin.query("SHOW data_directory")).rows[0];
    const { uid, gid } = statSync(data);
    const place = (from: string, ending: string) => {
      const name = `tls-${++placed}.${ending}`;
      copyFileSync(from, join(data, name));
      chmodSync(join(data, name), 0o600);
      chownSync(join(data, name), uid, gid);
      return name;
    };
    if (lines !== undefined) writeFileSync(join(data, "pg_hba.conf"), `${lines.join("\n")}\n`);
    const files = { ssl_ca_file: place(ours.cert, "ca"), ssl_key_file: place(shown.key, "key") };
    await set({ ...files, ssl: "on", ssl_cert_file: place(shown.cert, "crt") });
  }

  /** Returns once new connections have these settings. */
  async function set(settings: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, value] of Object.entries(settings)) await admin.query(`ALTER SYSTEM SET ${name} = '${value}'`);
    await admin.query("SELECT pg_reload_conf()");
    for (const [name, value] of Object.entries(settings)) {
      for (let shown: string | undefined; shown !== value; ) {
        const client = new pg.Client(server!.url);
        await client.connect();
        shown = (await client.query(`SHOW ${name}`).finally(() => client.end())).rows[0][name];
      }
    }
  }

  function use(client: Signed): void {
    copyFileSync(client.key, key);
    copyFileSync(client.cert, cert);
  }

  function address(parameters: Readonly<Record<string, string>> = {}): string {
    const url = new URL(database);
    const all = { sslmode: "verify-full", sslrootcert: ours.cert, sslcert: cert, sslkey: key, ...parameters };
    for (const [name, value] of Object.entries(all)) if (value !== "") url.searchParams.set(name, value);
    return url.href;
  }

  async function seen(
    url: string,
  ): Promise<{ readonly version: string; readonly serial: string; readonly dn: string }> {
    const client = await connect(url, "test");
    const question =
      "SELECT version, client_serial AS serial, client_dn AS dn FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
    return (await client.query(question).finally(() => client.end())).rows[0];
  }

  it("is TLS 1.3 with the certificate, which can stand instead of a password", async () => {
    const { version, dn } = await seen(address());
    assert.deepEqual([version, dn], ["TLSv1.3", "/CN=tessera"]);
    const own = ours.client("by_certificate");
    const url = new URL(address({ sslcert: own.cert, sslkey: own.key }));
    [url.username, url.password] = ["by_certificate", ""];
    assert.equal((await seen(url.href)).dn, "/CN=by_certificate");
  });

  it("refuses what is not as it should be, on both sides", async () => {
    const stranger = other.client("tessera");
    const namesake = ours.client("ana");
    const wrong: [string, Readonly<Record<string, string>>, RegExp][] = [
      ["without a client certificate", { sslcert: "", sslkey: "" }, /certificate/],
      ["one of another authority", { sslcert: stranger.cert, sslkey: stranger.key }, /unknown ca|certificate/],
      ["one of another name", { sslcert: namesake.cert, sslkey: namesake.key }, /authentication failed/],
      ["a server of another authority", { sslrootcert: other.cert }, /self-signed|unable to/],
      ["a key that is not the certificate's", { sslkey: namesake.key }, /cannot be used: .*key/],
      ["a file that is not there", { sslcert: join(folder, "none") }, /cannot be used: .*ENOENT/],
    ];
    for (const [what, parameters, why] of wrong)
      await assert.rejects(seen(address(parameters)), (error: Error) => {
        assert.match(error.message, /^Cannot connect to PostgreSQL at 127/, what);
        assert.match(error.message, why, what);
        assert.doesNotMatch(error.message, new RegExp(new URL(database).password), what);
        return true;
      });
    await set({ ssl_max_protocol_version: "TLSv1.2" });
    await assert.rejects(seen(address()), /Cannot connect/, "TLS 1.2");
    await set({ ssl_max_protocol_version: "TLSv1.3" });
    await speak(ours.server("DNS:localhost"));
    await assert.rejects(seen(address()), /127.0.0.1/, "a certificate for localhost is not one for an address");
    assert.equal((await seen(address({ sslmode: "verify-ca" }))).version, "TLSv1.3");
    await speak(ours.server("IP:127.0.0.1"));
  });

  it("takes a renewed certificate at the next connection, and keeps the one before while the files do not fit", async () => {
    const store = await openPostgresStore({ url: address() });
    const serials = async () => {
      const { rows } = await admin.query(
        "SELECT DISTINCT client_serial AS serial FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE ssl AND datname = $1",
        [new URL(database).pathname.slice(1)],
      );
      return rows.map(({ serial }) => serial).sort();
    };
    try {
      const first = batchAfter(emptyJournal);
      await store.append(first);
      const before = await serials();
      assert.equal(before.length, 1);
      const renewed = ours.client("tessera");
      copyFileSync(renewed.key, key); // the certificate is not there yet
      assert.deepEqual([(await seen(address())).serial], before);
      copyFileSync(renewed.cert, cert);
      const { serial } = await seen(address());
      assert.notDeepEqual([serial], before);
      // As if the network had broken: writer, lease and readers connect again, each with what lies there now.
      await admin.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE ssl AND datname = $1",
        [new URL(database).pathname.slice(1)],
      );
      assert.equal((await store.head().catch(() => store.head())).seq, 1);
      assert.deepEqual(await serials(), [serial]);
    } finally {
      await store.close();
    }
  });

  it("is asked for where the database is on another machine", () => {
    assert.match(aboutPlain("postgres://t:secret@db.example/t") ?? "", /PostgreSQL at db.example has no TLS/);
    assert.doesNotMatch(aboutPlain("postgres://t:secret@db.example/t") ?? "", /secret/);
    for (const fine of ["postgres://db.example/t?sslmode=verify-full", "postgres://127.0.0.1/t", "postgres://[::1]/t"])
      assert.equal(aboutPlain(fine), undefined, fine);
    assert.notEqual(aboutPlain("postgres://db.example/t?sslmode=disable"), undefined);
  });
});
