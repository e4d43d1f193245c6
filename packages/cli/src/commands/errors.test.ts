import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import test from "node:test";
import { problem, StandIn } from "../testing/stand-in.ts";
import { runTess } from "../testing/terminal.ts";
import { versionOfPackage } from "../version.ts";

test("a wrong command line ends with 2 and names what was meant", async () => {
  const wrong: [string[], RegExp][] = [
    [["help", "rnu"], /unknown command 'rnu'[\s\S]*did you mean run\?/],
    [["rnu"], /unknown command 'rnu'[\s\S]*did you mean run\?/],
    [["run", "--gpsu", "1", "--", "x"], /--gpsu[\s\S]*did you mean --gpus\?/],
    [["node", "cordn", "n0"], /cordn[\s\S]*did you mean cordon\?/],
    [["get", "ndoes"], /did you mean nodes\?/],
    [["ps", "-o", "jsno"], /did you mean json\?/],
    [["run"], /what should run\?/],
    [["run", "--"], /no command after --/],
    [["ps", "--", "x"], /takes no command after --/],
    [["run", "--nodes", "many", "--", "x"], /--nodes must be a whole number, got "many"/],
    [["run", "--detach", "--wait", "--", "x"], /--detach and --wait cannot be used together/],
    [["logs"], /missing required argument 'job'/],
    [["wait", "x", "--for=gone"], /gone/],
    [["get"], /get needs a noun/],
  ];
  for (const [argv, expected] of wrong) {
    const { code, out, err } = await runTess(argv);
    assert.equal(code, 2, argv.join(" "));
    assert.equal(out, "", argv.join(" "));
    assert.match(err, expected);
  }
});

test("with -o json an error is one JSON object on stderr, also when the arguments are wrong", async () => {
  for (const argv of [
    ["ps", "--nonsense", "-o", "json"],
    ["--json", "rnu"],
  ]) {
    const { code, out, err } = await runTess(argv);
    assert.equal(code, 2);
    assert.equal(out, "");
    assert.deepEqual(Object.keys(JSON.parse(err).error), ["code", "message", "hint", "requestId"]);
  }
});

test("each refusal of the server has its exit code, and its code, hint and request id are passed on", async (t) => {
  const server = await StandIn.start(t);
  const cases: [number, string, number][] = [
    [422, "invalid", 65],
    [400, "unknown-field", 65],
    [404, "not-found", 66],
    [500, "internal", 69],
    [409, "conflict", 73],
    [412, "stale", 73],
    [429, "too-many", 75],
    [503, "storage-low", 75],
    [401, "unauthenticated", 77],
    [403, "not-allowed", 77],
  ];
  for (const [status, code, expected] of cases) {
    server.on("getJob", () => ({ status, body: problem(status, code, "it cannot be", "do it otherwise") }));
    const result = await runTess(["get", "job", "x", "-o", "json"], { env: server.env });
    assert.equal(result.code, expected, `${status}`);
    const message = status === 401 ? "it cannot be (token from the variable TESS_TOKEN)" : "it cannot be";
    assert.deepEqual(JSON.parse(result.err), {
      error: { code, message, hint: "do it otherwise", requestId: "req_1" },
    });
  }
  const human = await runTess(["get", "job", "x"], { env: server.env });
  assert.equal(human.err, "tess: it cannot be\n  do it otherwise\n  request req_1\n");
});

test("when nothing answers it ends with 69 and says how to start a server", async () => {
  const closed = createServer();
  closed.listen(0, "127.0.0.1");
  await once(closed, "listening");
  const { port } = closed.address() as AddressInfo;
  closed.close();
  await once(closed, "close");
  const { code, err } = await runTess(["ps"], {
    env: { TESS_SERVER: `http://127.0.0.1:${port}`, HOME: "/nonexistent" },
  });
  assert.equal(code, 69);
  assert.match(err, /no Tessera server answers[\s\S]*npm start/);
});

test("a wrong token ends with 77 and says to log in", async (t) => {
  const server = await StandIn.start(t);
  const { code, err } = await runTess(["whoami"], { env: { ...server.env, TESS_TOKEN: "wrong" } });
  assert.equal(code, 77);
  assert.match(err, /tess login/);
});

test("a server of another version is told of once, after everything else, and not to programs", async (t) => {
  const server = await StandIn.start(t);
  const items = (version: string) => ({ status: 200, body: { items: [] }, headers: { "tessera-version": version } });
  server.on("listNodes", () => items("9.9.9"));
  const { err } = await runTess(["node", "get"], { env: server.env });
  assert.match(err, /This tess is \d+\.\d+\.\d+ and the server is 9\.9\.9/);
  assert.equal(err.match(/9\.9\.9/g)?.length, 1);
  assert.equal((await runTess(["node", "get", "-o", "json"], { env: server.env })).err, "");
  server.on("listNodes", () => items(versionOfPackage()));
  assert.doesNotMatch((await runTess(["node", "get"], { env: server.env })).err, /This tess/);
});
