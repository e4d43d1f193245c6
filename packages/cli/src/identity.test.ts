import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer as createPlain } from "node:http";
import { createServer as createSecure } from "node:https";
import { type AddressInfo, createServer as createNet, type Server } from "node:net";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { certificate, otherCertificate, otherPrivateKey } from "./testing/certificate.ts";
import { temporaryFolder } from "./testing/folder.ts";
import { StandIn } from "./testing/stand-in.ts";
import { runTess } from "./testing/terminal.ts";

const me = { user: "usr_ana", name: "ana", bindings: [], scopes: [], may: [] };
const token = "secret-token";

/** A program that took the port of a server. Keeps every byte that is sent to it. */
async function thief(t: TestContext, speaks: "http" | "tls" | "nothing"): Promise<{ url: string; got: () => string }> {
  let got = "";
  const answer = (request: { headers: object }, response: { end(text: string): void }) => {
    got += JSON.stringify(request.headers);
    response.end(JSON.stringify({ items: [] }));
  };
  const servers: Record<typeof speaks, () => Server> = {
    http: () => createPlain(answer),
    tls: () => createSecure({ cert: otherCertificate, key: otherPrivateKey }, answer),
    nothing: () => createNet((socket) => void socket.end()),
  };
  const server = servers[speaks]();
  server.on("connection", (socket) => socket.on("data", (part: Buffer) => (got += part.toString("latin1"))));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, got: () => got };
}

/** What the data folder of a server holds, whose port is now another program's. */
function dataOf(t: TestContext, url: string): string {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, "identity.crt"), certificate);
  writeFileSync(join(folder, "owner.token"), `${token}\n`);
  const endpoint = { url, pid: 1, tokenFile: "owner.token", certificateFile: "identity.crt" };
  writeFileSync(join(folder, "endpoint.json"), JSON.stringify(endpoint));
  return folder;
}

for (const speaks of ["http", "tls", "nothing"] as const) {
  test(`a program that took the server's port and speaks ${speaks} is sent no token`, async (t) => {
    const { url, got } = await thief(t, speaks);
    const data = dataOf(t, url);
    const env = { HOME: data, TESSERA_DATA: data };
    for (const argv of [["ps"], ["ps", "--server", url], ["login", url], ["logs", "train", "-f"]]) {
      const { code, err } = await runTess(argv, { env });
      assert.equal(code, 69, `${argv.join(" ")}: ${err}`);
      if (speaks === "tls") assert.match(err, /does not have the key SHA256:.*no token was sent/s);
      if (speaks === "http") assert.match(err, /does not show the key of a Tessera server; no token was sent/);
    }
    assert.ok(!got().includes(token), "the token was sent");
    assert.ok(!/authorization/i.test(got()), "a request was sent");
  });
}

test("a token is not sent to a server whose key is not known, even when both are named", async (t) => {
  const { url, got } = await thief(t, "tls");
  const env = { HOME: temporaryFolder(t), TESSERA_DATA: "/nonexistent" };
  const { code, err } = await runTess(["ps", "--server", url, "--token", token], { env });
  assert.equal(code, 77);
  assert.match(err, /the key of http.* is not known here, so no token was sent. It shows SHA256:/);
  assert.match(err, /tess login http/);
  assert.ok(!got().includes(token));
});

test("login notes the key that it shows first; another key later is refused until logout", async (t) => {
  const server = await StandIn.start(t);
  server.on("whoAmI", () => me);
  const home = temporaryFolder(t);
  const env = { HOME: home, TESSERA_DATA: "/nonexistent" };
  const login = await runTess(["login", server.url, "--context", "work", "--token", token], { env });
  assert.equal(login.code, 0, login.err);
  const [, key] = /The key of \S+ is (SHA256:[\w+/]{43});/.exec(login.err) ?? assert.fail(login.err);
  const kept = join(home, ".config", "tess", "work.crt");
  assert.equal(readFileSync(kept, "utf8").trim(), certificate.trim());
  assert.equal(statSync(kept).mode & 0o777, 0o600);
  const who = await runTess(["whoami"], { env });
  assert.equal(who.code, 0, who.err);
  assert.ok(who.out.includes(key!), who.out);

  writeFileSync(kept, otherCertificate);
  for (const argv of [["whoami"], ["login", server.url, "--token", token]]) {
    const seen = server.seen.length;
    const { code, err } = await runTess(argv, { env });
    assert.equal(code, 69);
    assert.match(
      err,
      /does not have the key SHA256:.*work\.crt holds; no token was sent.*tess logout, then tess login/s,
    );
    assert.equal(server.seen.length, seen);
  }
  assert.equal((await runTess(["logout"], { env })).code, 0);
  assert.equal((await runTess(["login", server.url, "--token", token], { env })).code, 0);
});
