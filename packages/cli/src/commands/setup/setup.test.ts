import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { temporaryFolder } from "../../testing/folder.ts";
import { StandIn } from "../../testing/stand-in.ts";
import { runTess } from "../../testing/terminal.ts";
import { accountOf, engineOf, jobOf, nodeOf, poolOf } from "../../testing/things.ts";

const me = {
  user: "usr_ana",
  name: "ana",
  bindings: [{ role: "member" as const, account: "lab" }],
  scopes: [],
  may: [],
  defaultProject: "lab",
};

test("login remembers server and token, whoami uses them, logout forgets the token", async (t) => {
  const server = await StandIn.start(t);
  server.on("whoAmI", () => me);
  const home = temporaryFolder(t);
  const { TESS_SERVER: url } = server.env;
  const env = { HOME: home, TESSERA_DATA: join(home, "none") };
  const login = await runTess(["login", url!, "--context", "work", "-p", "lab/vision"], {
    env,
    input: "secret-token\n",
  });
  assert.equal(login.code, 0, login.err);
  assert.equal(login.out, `Logged in to ${url} as ana (member at lab); context work\n`);
  const tokenFile = join(home, ".config", "tess", "work.token");
  assert.equal(readFileSync(tokenFile, "utf8"), "secret-token\n");
  assert.equal(statSync(tokenFile).mode & 0o777, 0o600);

  const who = await runTess(["whoami"], { env });
  assert.equal(who.code, 0, who.err);
  assert.match(
    who.out,
    /User +ana \(usr_ana\)\nRoles +member at lab\nScopes +all\nProject +lab\/vision\nServer +.*from context work/,
  );

  assert.equal((await runTess(["logout"], { env })).code, 0);
  assert.ok(!existsSync(tokenFile));
  assert.equal((await runTess(["whoami"], { env })).code, 77);
});

test("a login that the server refuses leaves nothing behind", async (t) => {
  const server = await StandIn.start(t);
  const home = temporaryFolder(t);
  const env = { HOME: home, TESSERA_DATA: join(home, "none") };
  const { code } = await runTess(["login", server.env.TESS_SERVER!, "--token", "wrong"], { env });
  assert.equal(code, 77);
  assert.ok(!existsSync(join(home, ".config")));
});

test("contexts are set, listed, chosen and shown; redacted they tell nothing", async (t) => {
  const home = temporaryFolder(t);
  const env = { HOME: home };
  const run = async (...argv: string[]) => runTess(["config", ...argv], { env });
  await run("set", "server", "https://one.example", "--context", "one");
  await run("set", "server", "https://two.example", "--context", "two");
  await run("set", "project", "lab/vision", "--context", "two");
  assert.equal((await run("use-context", "two")).code, 0);
  assert.equal((await run("get-contexts", "-o", "name")).out, "one\ntwo\n");
  assert.match((await run("get-contexts")).out, /\* +two +https:\/\/two.example +lab\/vision/);
  assert.match((await run("view")).out, /two:\n +server: https:\/\/two.example/);
  const redacted = (await run("view", "--redact", "-o", "json")).out;
  assert.ok(!/example|lab|two/.test(redacted), redacted);
  assert.equal((await run("set", "project", "none")).code, 0);
  assert.ok(!(await run("view")).out.includes("lab/vision"));
  assert.match((await run("use-context", "tow")).err, /did you mean two\?/);
  assert.equal((await run("use-context", "tow")).code, 78);
  assert.equal((await run("set", "projetc", "x")).code, 2);
  assert.equal((await run("set", "server", "nonsense")).code, 78);
});

test("pointing a context at another server drops the old server's token", async (t) => {
  const server = await StandIn.start(t);
  server.on("whoAmI", () => me);
  const home = temporaryFolder(t);
  const env = { HOME: home, TESSERA_DATA: join(home, "none") };
  await runTess(["login", server.env.TESS_SERVER!, "--context", "work", "--token", "secret-token"], { env });
  await runTess(["config", "set", "server", "https://other.example"], { env });
  assert.ok(!readFileSync(join(home, ".config", "tess", "config.yaml"), "utf8").includes("token_file"));
});

test("completion knows commands, verbs, flags, formats, and names from the server", async (t) => {
  const server = await StandIn.start(t);
  server.on("listJobs", () => ({
    items: [jobOf(), jobOf({ id: "job_2", name: "llama-big" }), jobOf({ id: "job_3", name: "other" })],
  }));
  server.on("listNodes", () => ({ items: [nodeOf(), nodeOf({ name: "m1" })] }));
  server.on("listAccounts", () => ({ items: [accountOf("lab"), accountOf("other")] }));
  server.on("listEngines", () => ({ items: [engineOf(), engineOf({ name: "west" })] }));
  server.on("listPools", () => ({ items: [poolOf()] }));
  const env = { ...server.env, HOME: temporaryFolder(t) };
  const complete = async (...words: string[]) =>
    (await runTess(["__complete", ...words], { env })).out.split("\n").filter((line) => line !== "");
  assert.deepEqual(await complete("ca"), ["cancel"]);
  assert.deepEqual(await complete("node", "dr"), ["drain"]);
  assert.deepEqual(await complete("get", "no"), ["node"]);
  assert.deepEqual(await complete("ps", "-o", "j"), ["json"]);
  assert.deepEqual(await complete("run", "--max-t"), ["--max-time"]);
  assert.deepEqual(await complete("logs", "llama"), ["llama-ft", "llama-big"]);
  assert.deepEqual(await complete("describe", "job", "o"), ["other"]);
  assert.deepEqual(await complete("node", "drain", "n0", ""), ["n0", "m1"]);
  assert.deepEqual(await complete("ps", "--state", "wai"), ["waiting"]);
  assert.deepEqual(await complete("run", "-p", "la"), ["lab"]);
  assert.deepEqual(await complete("run", "--", "lla"), []);
  assert.deepEqual(await complete("run", "--engine", ""), ["east", "west"]);
  assert.deepEqual(await complete("engine", "cordon", "w"), ["west"]);
  assert.deepEqual(await complete("pool", "edit", ""), ["gold"]);
  assert.deepEqual(await complete("pool", "create", "x", "--tenant", "la"), ["lab"]);
  assert.equal(server.requestsTo("listJobs").length, 1, "the second time comes from the cache");
});

test("completion answers from its cache when the server is away, and with nothing when there is none", async (t) => {
  const server = await StandIn.start(t);
  server.on("listNodes", () => ({ items: [nodeOf()] }));
  const home = temporaryFolder(t);
  const env = { ...server.env, HOME: home };
  assert.equal((await runTess(["__complete", "node", "up", ""], { env })).out, "n0\n");
  await server.stop();
  assert.equal((await runTess(["__complete", "node", "up", ""], { env })).out, "n0\n");
  const nobody = await runTess(["__complete", "node", "up", ""], { env: { ...env, TESS_TOKEN: "other" } });
  assert.deepEqual({ code: nobody.code, out: nobody.out, err: nobody.err }, { code: 0, out: "", err: "" });
});

test("each shell has a script that calls back", async () => {
  for (const shell of ["bash", "zsh", "fish"]) {
    assert.match((await runTess(["completion", shell])).out, /tess __complete/);
  }
  assert.match((await runTess(["completion", "fsih"])).err, /did you mean fish\?/);
});
