import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import type { BodyOf } from "@tessera/wire";
import { tess } from "../../program.ts";
import { temporaryFolder } from "../../testing/folder.ts";
import { problem, StandIn } from "../../testing/stand-in.ts";
import { FakeTerminal, runTess } from "../../testing/terminal.ts";

const me = { user: "usr_ana", name: "ana", bindings: [], scopes: [], may: [] };
const code = "c".repeat(43);

/** A server with a provider, and a person who has never used it. */
async function begin(t: TestContext, expiresInMs = 600_000) {
  const server = await StandIn.start(t);
  const home = temporaryFolder(t);
  const expiresAt = new Date(Date.now() + expiresInMs).toISOString();
  server.on("readSession", () => ({ providers: [{ name: "corp", label: "Example Corp" }] }));
  server.on("whoAmI", () => me);
  server.on("beginLogin", () => ({
    ...{ login: "HMKG-DKNJ", path: "/sign-in/tess?login=HMKG-DKNJ", expiresAt, intervalSeconds: 0 },
  }));
  server.on("takeLogin", () => ({ token: "secret-token" }));
  return {
    server,
    env: { HOME: home, TESSERA_DATA: join(home, "none") },
    tokenFile: join(home, ".config", "tess", "127.0.0.1.token"),
    begun: () => server.requestsTo("beginLogin")[0]?.body as BodyOf<"beginLogin">,
    taken: () => server.requestsTo("takeLogin").map(({ body }) => body as BodyOf<"takeLogin">),
  };
}

test("login waits on this machine for the browser, and proves that it is the program that began", async (t) => {
  const { server, env, tokenFile, begun, taken } = await begin(t);
  const terminal = new FakeTerminal({ env, columns: 100 });
  const running = tess(["login", server.url], terminal);
  await terminal.shows(/compare the code: .*HMKG-DKNJ/);
  assert.ok(terminal.err.includes(`Open ${server.url}/sign-in/tess?login=HMKG-DKNJ\n`), terminal.err);
  assert.match(terminal.err, /tess login URL --device/);
  const waiting = `http://127.0.0.1:${begun().port}`;
  for (const wrong of ["/", "/?code=short", `/elsewhere?code=${code}`])
    assert.equal((await fetch(`${waiting}${wrong}`)).status, 404, wrong);
  assert.equal(taken().length, 0);
  const page = await fetch(`${waiting}/?code=${code}`);
  assert.deepEqual([page.status, await page.text()], [200, "You are logged in. Go back to the terminal.\n"]);
  assert.equal(await running, 0, terminal.err);
  const { verifier, ...rest } = taken()[0]!;
  assert.deepEqual(rest, { code });
  assert.equal(createHash("sha256").update(verifier).digest("base64url"), begun().challenge);
  assert.equal(readFileSync(tokenFile, "utf8"), "secret-token\n");
  assert.ok(!terminal.screen.includes(verifier) && !terminal.screen.includes("secret-token"));
  await assert.rejects(fetch(waiting), "it no longer waits");
});

test("login --device asks until a browser anywhere has allowed it", async (t) => {
  const { server, env, tokenFile, begun, taken } = await begin(t);
  server.on("takeLogin", () => (taken().length < 3 ? {} : { token: "secret-token" }));
  const { code: status, out, err } = await runTess(["login", server.url, "--device"], { env });
  assert.equal(status, 0, err);
  assert.ok(err.endsWith(`Open ${server.url}/sign-in/tess?login=HMKG-DKNJ\nand compare the code: HMKG-DKNJ\n`), err);
  assert.equal(out, `Logged in to ${server.url} as ana; context 127.0.0.1\n`);
  assert.equal(begun().port, undefined);
  assert.deepEqual(
    taken().map((body) => body.code),
    [undefined, undefined, undefined],
  );
  assert.equal(readFileSync(tokenFile, "utf8"), "secret-token\n");
});

test("a login that is not allowed in time, or that the server forgot, leaves nothing behind", async (t) => {
  for (const flags of [["--device"], []]) {
    const { server, env, tokenFile } = await begin(t, 0);
    const late = await runTess(["login", server.url, ...flags], { env, columns: 100 });
    assert.equal(late.code, 75, late.err);
    assert.match(late.err, /the login was not allowed in time\n.*tess login URL/);
    assert.ok(!existsSync(tokenFile));
  }
  const { server, env, tokenFile } = await begin(t);
  server.on("takeLogin", () => ({ status: 404, body: problem(404, "not-found", "there is no such login") }));
  const forgotten = await runTess(["login", server.url, "--device"], { env });
  assert.equal(forgotten.code, 66, forgotten.err);
  assert.ok(!existsSync(tokenFile));
});

test("without a provider, or without a person at the terminal, a token is taken as before", async (t) => {
  const { server, env, begun } = await begin(t);
  const piped = await runTess(["login", server.url], { env, input: "secret-token\n" });
  assert.equal(piped.code, 0, piped.err);
  server.on("readSession", () => ({}));
  const typed = await runTess(["login", server.url], { env, input: "secret-token\n", columns: 100 });
  assert.equal(typed.code, 0, typed.err);
  assert.match(typed.err, /Token for http/);
  assert.equal(begun(), undefined);
});
