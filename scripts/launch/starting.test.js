import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { announceStart, serverArguments } from "./starting.js";
import { temporaryFolder } from "./temporary.js";

const server = "packages/server/dist/main.js";
const cli = "packages/cli/dist/main.js";
const read = (folder) => JSON.parse(readFileSync(join(folder, "starting.json"), "utf8"));

describe("the announcement of a server that is being started", () => {
  it("is made for npm start and tess server, and for nothing else", () => {
    assert.deepEqual(serverArguments(server, ["--port", "0"]), ["--port", "0"]);
    assert.deepEqual(serverArguments(cli, ["server", "--data", "x"]), ["--data", "x"]);
    assert.equal(serverArguments(cli, ["ps"]), undefined);
    assert.equal(serverArguments(server, ["--help"]), undefined);
    assert.equal(serverArguments("packages/sim/dist/main.js", []), undefined);
  });

  it("stands in the data folder that the server will use", (t) => {
    const root = temporaryFolder(t);
    const cases = [
      [[], {}, join(root, ".tessera")],
      [[], { TESSERA_DATA: join(root, "env") }, join(root, "env")],
      [["--data", join(root, "flag")], { TESSERA_DATA: join(root, "other") }, join(root, "flag")],
      [[`--data=${join(root, "equals")}`], {}, join(root, "equals")],
    ];
    for (const [args, env, folder] of cases) {
      announceStart(root, args, env).step("building");
      assert.equal(read(folder).pid, process.pid);
      assert.equal(read(folder).step, "building");
    }
    assert.equal(existsSync(join(root, "other")), false);
  });

  it("keeps why the start failed", (t) => {
    const root = temporaryFolder(t);
    const start = announceStart(root, [], {});
    start.step("installing");
    start.failed("npm could not reach its registry");
    start.failed("it ended with code 1");
    assert.equal(read(join(root, ".tessera")).failed, "npm could not reach its registry");
  });
});
