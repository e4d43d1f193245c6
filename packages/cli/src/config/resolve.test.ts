import assert from "node:assert/strict";
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import test, { type TestContext } from "node:test";
import type { Failure } from "../failure.ts";
import { temporaryFolder } from "../testing/folder.ts";
import { FakeTerminal } from "../testing/terminal.ts";
import { writeConfig, writeToken } from "./file.ts";
import { resolveSettings, type WhereFlags } from "./resolve.ts";

interface World {
  readonly env: Record<string, string>;
  readonly cwd: string;
  readonly config: string;
}

function worldOf(t: TestContext): World {
  const home = temporaryFolder(t);
  const cwd = join(home, "repo", "deep");
  mkdirSync(cwd, { recursive: true });
  return { env: { HOME: home, TESSERA_DATA: join(home, "data") }, cwd, config: join(home, ".config", "tess") };
}

function endpointOf({ env }: World, url: string): void {
  const folder = env.TESSERA_DATA!;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "endpoint.json"), JSON.stringify({ url, pid: 1, tokenFile: join(folder, "owner.token") }));
  writeFileSync(join(folder, "owner.token"), "owner-token\n");
}

const resolve = (world: World, flags: WhereFlags = {}, env: Record<string, string> = {}) =>
  resolveSettings(flags, new FakeTerminal({ env: { ...world.env, ...env }, cwd: world.cwd }));

async function contextsOf({ config }: World): Promise<void> {
  await writeConfig(config, {
    current: "work",
    contexts: {
      work: {
        server: "https://work.example",
        project: "lab/vision",
        token_file: writeToken(config, "work", "work-token"),
      },
      home: { server: "https://home.example", tenant: "mine", token_file: writeToken(config, "home", "home-token") },
    },
  });
}

test("with no server named, that of the data folder is used with the token it made", async (t) => {
  const world = worldOf(t);
  endpointOf(world, "http://127.0.0.1:7070");
  const settings = await resolve(world);
  const { tokenFrom, ...where } = settings.locate();
  assert.deepEqual(where, { server: "http://127.0.0.1:7070", token: "owner-token" });
  assert.match(tokenFrom ?? "", /owner\.token$/);
  assert.equal(settings.serverFrom, "data");
});

test("a server that came back on another port is found again", async (t) => {
  const world = worldOf(t);
  endpointOf(world, "http://127.0.0.1:7070");
  const { locate } = await resolve(world);
  endpointOf(world, "http://127.0.0.1:8080");
  assert.equal(locate().server, "http://127.0.0.1:8080");
});

test("with no server known, it says how to start one", async (t) => {
  const { locate } = await resolve(worldOf(t));
  assert.throws(locate, (error: Failure) => error.exitCode === 69 && /npm start/.test(error.hint ?? ""));
});

test("the current context wins over the clone, .tess.yaml over the context, the environment over .tess.yaml, flags over all", async (t) => {
  const world = worldOf(t);
  endpointOf(world, "http://127.0.0.1:7070");
  await contextsOf(world);
  const where = (settings: Awaited<ReturnType<typeof resolve>>) => {
    const { server, token, tokenFrom } = settings.locate();
    return [server, token, basename(tokenFrom ?? "")];
  };
  assert.deepEqual(where(await resolve(world)), ["https://work.example", "work-token", "work.token"]);
  assert.equal((await resolve(world)).project, "lab/vision");

  writeFileSync(join(world.cwd, "..", ".tess.yaml"), "context: home\nproject: from/folder\n");
  const inFolder = await resolve(world);
  assert.deepEqual(where(inFolder), ["https://home.example", "home-token", "home.token"]);
  assert.equal(inFolder.project, "from/folder");

  const byEnv = await resolve(
    world,
    {},
    { TESS_SERVER: "http://env.example", TESS_TOKEN: "env-token", TESS_PROJECT: "from/env" },
  );
  assert.deepEqual(where(byEnv), ["http://env.example", "env-token", "the variable TESS_TOKEN"]);
  assert.equal(byEnv.project, "from/env");

  const byFlag = await resolve(
    world,
    { server: "http://flag.example", token: "flag-token", project: "from/flag" },
    { TESS_SERVER: "http://env.example", TESS_TOKEN: "env-token", TESS_PROJECT: "from/env" },
  );
  assert.deepEqual(where(byFlag), ["http://flag.example", "flag-token", "--token"]);
  assert.equal(byFlag.project, "from/flag");
});

test("a token goes only to the server it belongs to", async (t) => {
  const world = worldOf(t);
  endpointOf(world, "http://127.0.0.1:7070");
  await contextsOf(world);
  assert.equal((await resolve(world, { server: "https://evil.example" })).locate().token, undefined);
  assert.equal((await resolve(world, { server: "https://home.example/" })).locate().token, "home-token");
  assert.equal((await resolve(world, { server: "http://127.0.0.1:7070" })).locate().token, "owner-token");
});

test("lists without a project are cut to the context's tenant", async (t) => {
  const world = worldOf(t);
  await contextsOf(world);
  const settings = await resolve(world, { context: "home" });
  assert.equal(settings.project, undefined);
  assert.equal(settings.scope, "mine");
});

test("the token and the configuration can be read by their owner only", async (t) => {
  const world = worldOf(t);
  await contextsOf(world);
  for (const file of ["config.yaml", "work.token"])
    assert.equal(statSync(join(world.config, file)).mode & 0o777, 0o600, file);
});

test("what cannot be read is bad configuration, and says where", async (t) => {
  const world = worldOf(t);
  mkdirSync(world.config, { recursive: true });
  const refused = async (text: string, expected: RegExp) => {
    writeFileSync(join(world.config, "config.yaml"), text);
    await assert.rejects(resolve(world), (error: Failure) => error.exitCode === 78 && expected.test(error.message));
  };
  await refused("contexts: [", /config.yaml cannot be read/);
  await refused("contexts: {a: {sever: x}}", /contexts.a: unknown key "sever"/);
  await refused("contexts: {a: {project: 7}}", /contexts.a.project must be text/);
  await refused("contexts: {a: {token_file: ../../etc/shadow}}", /must be the name of a file beside/);
  await refused("current: gone", /no context "gone"/);
  writeFileSync(join(world.config, "config.yaml"), "contexts: {a: {server: 'ftp://x'}}\ncurrent: a\n");
  const { locate } = await resolve(world);
  assert.throws(locate, (error: Failure) => error.exitCode === 78);
});
