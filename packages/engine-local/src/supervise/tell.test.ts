import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { it } from "node:test";
import { descendantsOf, findProcess } from "./processes.ts";
import { Telling } from "./tell.ts";

const skip = spawnSync("python3", ["--version"]).status === 0 ? false : "needs python3";

/** Forks a worker; both say when they get the signal. The program ends at the second line of its input. */
const program = `
import os, signal, sys, time
name = "program"
def got(number, frame):
    print(name, "got", number, flush=True)
    if name == "worker": os._exit(0)
signal.signal(signal.SIGTERM, got)
if os.fork() == 0:
    name = "worker"
    print("up", flush=True)
    while True: time.sleep(1)
sys.stdin.readline()
os._exit(0)
`;

it("tells a Python program for the workers it has forked, and the workers when it has ended", { skip }, async () => {
  const child = spawn("python3", ["-c", program], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => (await lines.next()).value;
  assert.equal(await next(), "up");
  const all = [child.pid!, ...descendantsOf(child.pid!)];
  assert.equal(all.length, 2);
  const telling = new Telling(() => all.filter((pid) => findProcess(pid) !== undefined));
  try {
    telling.tell("SIGTERM");
    assert.equal(await next(), "program got 15");
    child.stdin.end("\n");
    await once(child, "exit");
    assert.equal(await next(), "worker got 15");
  } finally {
    telling.close();
  }
});
