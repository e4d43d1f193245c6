import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import type { UserShape } from "@tessera/wire";
import { temporaryFolder } from "../../testing/folder.ts";
import { problem, StandIn } from "../../testing/stand-in.ts";
import { runTess } from "../../testing/terminal.ts";
import { accountOf } from "../../testing/things.ts";

const ana: UserShape = {
  id: "usr_ana",
  name: "ana",
  disabled: false,
  hasPassword: false,
  bindings: [{ role: "member", account: "lab" }],
  createdAt: "2026-11-15T10:00:00.000Z",
  revision: "1",
};

test("a user is made with a first role, disabled, enabled and erased", async (t) => {
  const server = await StandIn.start(t);
  server.on("createUser", () => ana);
  server.on("disableUser", () => ({ ...ana, disabled: true }));
  server.on("enableUser", () => ana);
  server.on("eraseUser", () => ({ status: 204 }));
  const run = async (line: string) => (await runTess(line.split(" "), { env: server.env })).out;
  assert.equal(
    await run("user create ana --email ana@example.org --role member --account lab"),
    "ana (usr_ana) created: member at lab\n",
  );
  assert.deepEqual(server.requestsTo("createUser")[0]?.body, {
    name: "ana",
    email: "ana@example.org",
    role: "member",
    account: "lab",
  });
  assert.match(await run("user disable ana"), /disabled/);
  assert.match(await run("user enable ana"), /enabled/);
  assert.equal(await run("delete user ana"), "ana erased\n");
});

test("passwords and secrets come from standard input or a file, never from the command line", async (t) => {
  const server = await StandIn.start(t);
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, "key"), "two\nlines\n");
  server.on("setPassword", () => ({ status: 204 }));
  server.on("putSecret", () => ({ status: 204 }));
  server.on("deleteSecret", () => ({ status: 204 }));
  await runTess(["user", "passwd", "ana"], { env: server.env, input: "correct horse battery\n" });
  assert.deepEqual(server.requestsTo("setPassword")[0]?.body, { password: "correct horse battery" });
  const piped = await runTess(["secret", "set", "HF_TOKEN", "--account", "lab/vision"], {
    env: server.env,
    input: "hf_123\n",
  });
  assert.equal(piped.out, "HF_TOKEN set for lab/vision\n");
  await runTess(["secret", "set", "KEY", "-p", "lab", "--from-file", "key"], { env: server.env, cwd: folder });
  assert.deepEqual(
    server.requestsTo("putSecret").map(({ at, body }) => [at, body]),
    [
      [{ account: "lab/vision", secret: "HF_TOKEN" }, { value: "hf_123" }],
      [{ account: "lab", secret: "KEY" }, { value: "two\nlines\n" }],
    ],
  );
  assert.equal((await runTess(["secret", "set", "EMPTY", "-p", "lab"], { env: server.env })).code, 2);
  assert.equal((await runTess(["secret", "delete", "KEY", "-p", "lab"], { env: server.env })).code, 0);
});

test("a password typed on a terminal is asked for twice and never shown", async (t) => {
  const server = await StandIn.start(t);
  server.on("setPassword", () => ({ status: 204 }));
  const { code, err } = await runTess(["user", "passwd", "ana"], {
    env: server.env,
    columns: 80,
    input: "one password\rother password\r",
  });
  assert.equal(code, 2);
  assert.match(err, /differ/);
  assert.ok(!err.includes("one password"));
  assert.equal(server.requestsTo("setPassword").length, 0);
});

test("secrets are looked for in the project that the server would use", async (t) => {
  const server = await StandIn.start(t);
  server.on("whoAmI", () => ({
    user: "usr_ana",
    name: "ana",
    bindings: [],
    scopes: [],
    may: [],
    defaultProject: "lab/own",
  }));
  server.on("listSecrets", () => ({
    items: [{ account: "lab/own", name: "K", changedAt: "2026-11-15T10:00:00.000Z" }],
  }));
  assert.equal((await runTess(["get", "secrets", "-o", "name"], { env: server.env })).out, "K\n");
  assert.equal(server.requestsTo("listSecrets")[0]?.at.account, "lab/own");
});

test("a role is bound where it is said, and never everywhere by omission", async (t) => {
  const server = await StandIn.start(t);
  const binding = {
    id: "usr_ana:member:lab",
    user: "usr_ana",
    userName: "ana",
    role: "member" as const,
    account: "lab",
  };
  server.on("bindRole", () => binding);
  server.on("listRoles", () => ({
    items: [{ ...binding, id: "usr_ana:viewer:lab", role: "viewer" as const }, binding],
  }));
  server.on("unbindRole", () => ({ status: 204 }));
  assert.equal(
    (await runTess(["role", "bind", "ana", "member", "lab"], { env: server.env })).out,
    "ana is member at lab\n",
  );
  await runTess(["role", "bind", "rev", "auditor", "/"], { env: server.env });
  assert.deepEqual(
    server.requestsTo("bindRole").map(({ body }) => body),
    [
      { user: "ana", role: "member", account: "lab" },
      { user: "rev", role: "auditor", account: "" },
    ],
  );
  assert.equal((await runTess(["role", "bind", "ana", "member"], { env: server.env })).code, 2);
  await runTess(["role", "unbind", "ana", "member", "--account", "lab"], { env: server.env });
  assert.equal(server.requestsTo("unbindRole")[0]?.at.binding, "usr_ana:member:lab");
  assert.equal((await runTess(["role", "unbind", "ana", "finance", "lab"], { env: server.env })).code, 66);
});

test("a new token is the only thing on stdout; revoking asks on a terminal", async (t) => {
  const server = await StandIn.start(t);
  const created = {
    id: "tok_1",
    user: "usr_ana",
    label: "ci",
    prefix: "tess_ab",
    scopes: [],
    createdAt: "2026-11-15T10:00:00.000Z",
    token: "tess_abcdef",
  };
  server.on("createToken", () => created);
  server.on("revokeToken", () => ({ status: 204 }));
  const { out } = await runTess("token create --label ci --scope job.read job.submit --expires-in 90d".split(" "), {
    env: server.env,
  });
  assert.equal(out, "tess_abcdef\n");
  assert.deepEqual(server.requestsTo("createToken")[0]?.body, {
    label: "ci",
    scopes: ["job.read", "job.submit"],
    expiresIn: "90d",
  });
  const tty = { env: { ...server.env, TERM: "xterm" }, columns: 80 };
  assert.equal((await runTess(["token", "revoke", "tok_1"], { ...tty, input: "n\n" })).code, 130);
  assert.equal((await runTess(["token", "revoke", "tok_1", "-y"], tty)).code, 0);
  assert.equal(server.requestsTo("revokeToken").length, 1);
});

test("token create --out writes a new file that only its owner can read, and shows no token", async (t) => {
  const server = await StandIn.start(t);
  const cwd = temporaryFolder(t);
  const created = {
    id: "tok_1",
    user: "usr_ana",
    prefix: "tess_abc",
    label: "",
    scopes: [],
    createdAt: "2026-11-15T10:00:00.000Z",
    token: "tess_abcdef",
  };
  server.on("createToken", () => created);
  const argv = ["token", "create", "--out", "ana.token"];
  const { code, out, err } = await runTess(argv, { env: server.env, cwd });
  assert.equal(code, 0, err);
  assert.equal(out, "Token tok_1 is in ana.token\n");
  assert.equal(readFileSync(join(cwd, "ana.token"), "utf8"), "tess_abcdef\n");
  assert.equal(statSync(join(cwd, "ana.token")).mode & 0o777, 0o600);
  const again = await runTess(argv, { env: server.env, cwd });
  assert.equal(again.code, 2);
  assert.match(again.err, /ana\.token is there already/);
  assert.equal(server.requestsTo("createToken").length, 1, "no second token was made");
  server.on("createToken", () => ({ status: 403, body: problem(403, "forbidden", "no") }));
  assert.equal((await runTess(["token", "create", "--out", "b.token"], { env: server.env, cwd })).code, 77);
  assert.equal(existsSync(join(cwd, "b.token")), false, "nothing is left of a refused one");
});

test("a max below what runs is answered with what stays above it", async (t) => {
  const server = await StandIn.start(t);
  const used = { gpus: 12, byModel: { H100: 12 }, borrowed: 0, cpus: 0, memoryMiB: 0 };
  server.on("getAccount", () => accountOf("lab", { used, max: { "*": 16 } }));
  server.on("editAccount", () => accountOf("lab", { used, max: { "*": 4 } }));
  const { code, err } = await runTess(["account", "edit", "lab", "--max", "4"], { env: server.env });
  assert.equal(code, 0);
  assert.match(err, /^lab has 8 above max: its jobs keep these GPUs until they end/);
  server.on("listAccounts", () => ({ items: [accountOf("lab", { used, max: { H100: 4 } })] }));
  assert.match((await runTess(["quota"], { env: server.env })).out, /8 H100 above max/);
});
