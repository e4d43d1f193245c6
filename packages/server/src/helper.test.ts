import assert from "node:assert/strict";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Engine } from "@tessera/engine";
import { RemoteCalls } from "@tessera/engine/remote";
import { describeEngine, shellCommands, shellInside } from "@tessera/engine/suite";
import { openLocalEngine } from "@tessera/engine-local";
import { openRemoteEngine, serveEngine } from "@tessera/engine-remote";

/** The local engine behind a socket, as the helper serves it. */
async function openBehindSocket(dir: string) {
  const socket = join(dir, "helper.sock");
  const far = await openLocalEngine({ dir: join(dir, "engine"), virtual: "1x8:H100" });
  const served = await serveEngine({ engine: far, socket });
  const near = await openRemoteEngine(new RemoteCalls(socket));
  const close = async () => {
    await near.close();
    await served.close();
    await far.close();
  };
  return { near, far, socket, close };
}

async function stopAll(engine: Engine): Promise<void> {
  for (const { lease, state } of await engine.list())
    if (state !== "gone") await engine.stop(lease, { signal: "SIGKILL", graceMs: 0 });
  while ((await engine.list()).some(({ state }) => state !== "gone")) await sleep(20);
}

describeEngine("local, behind the socket of the helper", async () => {
  const dir = await mkdtemp(join(tmpdir(), "tessera-helper-"));
  let sides = await openBehindSocket(dir);
  return {
    engine: sides.near,
    commands: shellCommands,
    inside: shellInside,
    settle: (ms) => sleep(ms),
    async reopen() {
      await sides.close();
      sides = await openBehindSocket(dir);
      return sides.near;
    },
    async close() {
      await stopAll(sides.far);
      await sides.close();
      await rm(dir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
});

describe("the socket of the helper", () => {
  it("is open to its owner alone, and refuses what is no call of the engine", async (t) => {
    const dir = await mkdtemp(join(tmpdir(), "tessera-helper-"));
    const { socket, close } = await openBehindSocket(dir);
    t.after(() => close().then(() => rm(dir, { recursive: true, force: true })));
    assert.equal((await stat(socket)).mode & 0o777, 0o600);
    const ask = (path: string, body: string): Promise<[number, string]> =>
      new Promise((resolve, reject) => {
        const call = request({ socketPath: socket, path, method: "POST" }, async (response) => {
          let text = "";
          for await (const part of response) text += part;
          resolve([response.statusCode ?? 0, text]);
        });
        call.once("error", reject).end(body);
      });
    const bad: [path: string, body: string, word: RegExp][] = [
      ["/run", "[]", /no such call/],
      ["/release", "{}", /list of arguments/],
      ["/release", "nonsense", /not JSON/],
      ["/release", "[]", /takes 1 arguments/],
      ["/release", "[7]", /argument 0 must be a text/],
      ["/bind", '[{"lease":"a","uid":0}]', /unknown field uid/],
      ["/stop", '["a",{"signal":"SIGTERM","graceMs":-1}]', /graceMs must be a whole number/],
      ["/readFile", '["a","etc","passwd",0]', /must be one of work, out, checkpoint/],
    ];
    for (const [path, body, word] of bad) {
      const [status, text] = await ask(path, body);
      assert.equal(status, 400, path);
      assert.match(text, word);
    }
  });
});
