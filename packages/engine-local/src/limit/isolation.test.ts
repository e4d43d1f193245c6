import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { leaseFile } from "../lease/folder.ts";
import { atEnd, openBench, orderOf } from "../order.fixture.ts";
import { argumentsOf, descendantsOf } from "../supervise/processes.ts";
import { isRoot, needsRoot } from "./machine.fixture.ts";
import { examineMachine, type Machine } from "./machine.ts";

const canary = "canary-of-another-tenant";
const given = "GPU-virtual-virtual-0-0";
const foreign = "GPU-virtual-virtual-0-1";

/** Two harmless devices (the kernel's source of zeros and of random bytes) that stand for two GPUs. */
function standInGpus(t: TestContext): { readonly [uuid: string]: string } {
  const devices = { [given]: `/dev/tessera-test-${process.pid}-0`, [foreign]: `/dev/tessera-test-${process.pid}-1` };
  for (const [minor, path] of [
    ["5", devices[given]!],
    ["9", devices[foreign]!],
  ] as const) {
    rmSync(path, { force: true });
    execFileSync("mknod", ["-m", "666", path, "c", "1", minor]);
    atEnd(t, async () => rmSync(path, { force: true }));
  }
  return devices;
}

/** The ways in which a root server may have to close jobs in; the first that works is used. */
const ways: { readonly [name: string]: (folder: string) => Promise<Machine> } = {
  "as this machine allows": examineMachine,
  "with util-linux alone": (folder) => examineMachine(folder, ["bwrap"]),
  "without device groups": async (folder) => {
    const machine = await examineMachine(folder);
    const hierarchies = machine.hierarchies.filter(({ controllers }) => !controllers.includes("devices"));
    return { ...machine, hierarchies };
  },
};

for (const [name, examine] of Object.entries(ways)) {
  it(`[S23] a job gets nothing of another tenant's files, environment, processes and GPU, ${name}`, {
    skip: needsRoot,
  }, async (t) => {
    const devices = standInGpus(t);
    const bench = await openBench(t, { gpuDevices: devices }, examine);
    const victim = orderOf(
      `echo ${canary} > file; echo ${canary} > /tmp/shared; chmod 644 file /tmp/shared; echo ready; sleep 100000`,
      {
        tenant: "acc_victim",
        gpuUuids: [foreign],
        env: { VICTIM: canary },
        secrets: { TOKEN: `${canary}-token` },
      },
    );
    await bench.start(victim, "ready");

    // What the victim really has, seen from outside: the thief is told exactly where to look.
    const { pid } = JSON.parse(readFileSync(join(bench.dir, "leases", victim.lease, leaseFile.claim), "utf8"));
    const sleeps = (other: number) => argumentsOf(other).startsWith("sleep\0");
    while (!descendantsOf(pid).some(sleeps)) await pause(20); // "ready" is said a moment before
    const processes = descendantsOf(pid);
    const sleeper = processes.find(sleeps)!;
    assert.ok(
      readFileSync(`/proc/${sleeper}/environ`, "latin1").includes(`${canary}-token`),
      "the victim has its secret",
    );
    const files = join(bench.dir, "work", victim.lease);
    assert.equal(readFileSync(join(files, "work", "file"), "utf8").trim(), canary);

    const thief = orderOf(
      [
        "exec 2>&1",
        "id -u",
        `for pid in ${processes.join(" ")}; do cat /proc/$pid/environ /proc/$pid/cmdline /proc/$pid/root/tmp/shared | tr '\\0' '\\n'; kill -9 $pid; done`,
        `cat ${files}/work/file ${files}/tmp/shared /run/tessera/work/file /tmp/shared ${bench.dir}/leases/${victim.lease}/order.json`,
        `ls -laR ${bench.dir} /proc/*/cwd/`,
        "cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep VICTIM",
        "ps axe | grep sleep.100000 | grep -v grep",
        `grep -a -l ${canary} -r /dev/shm /tmp /run/tessera`,
        `head -c 4 ${devices[given]} >/dev/null && echo own gpu opens`,
        `head -c 4 ${devices[foreign]} >/dev/null && echo FOREIGN GPU OPENS`,
        `rm -f ${devices[foreign]}; mknod /tmp/gpu c 1 9 && head -c 4 /tmp/gpu >/dev/null && echo MADE A DEVICE`,
        "mount -t tmpfs none /mnt && echo MOUNTED",
        "setpriv --reuid 0 true && echo ROOT AGAIN",
        "grep -E '^(NoNewPrivs|CapEff|CapBnd)' /proc/self/status",
        "exit 0",
      ].join("\n"),
      { tenant: "acc_thief", gpuUuids: [given] },
    );
    assert.equal((await bench.run(thief)).code, 0);
    const loot = await bench.text(thief.lease);
    assert.ok(!loot.includes(canary), `the thief has seen something:\n${loot}`);
    assert.ok(!loot.includes("sleep 100000"), `the thief has seen a process:\n${loot}`);
    assert.ok(!/FOREIGN|MADE|MOUNTED|ROOT AGAIN/.test(loot), `the thief has done something:\n${loot}`);
    assert.match(loot, /own gpu opens/);
    assert.match(loot, new RegExp(`${devices[foreign]}.*(Operation not permitted|Permission denied)`));
    assert.match(loot, /NoNewPrivs:\s+1/);
    assert.match(loot, /CapEff:\s+0000000000000000/);
    assert.match(loot, /CapBnd:\s+0000000000000000/);
    assert.ok(Number(loot.split("\n")[0]) >= 200_000, "it is no user that anybody else is");
    assert.equal((await bench.engine.list()).find(({ lease }) => lease === victim.lease)?.state, "running");
    const { enforcement } = await bench.until(thief.lease, "prepared");
    assert.match(enforcement.tenant!, /^uid\+pid-namespace\+mount-namespace/);
    assert.match(
      enforcement.gpu!,
      name === "without device groups" ? /^mount-namespace$/ : /^devices-cgroup-v1$|^mount-namespace$/,
    );
  });
}

describe("two members of one tenant", { skip: needsRoot }, () => {
  it("run as the same user, and a member of another tenant as another", async (t) => {
    const bench = await openBench(t);
    const orders = ["acc_a", "acc_a", "acc_b"].map((tenant) => orderOf("id -u", { tenant }));
    const users: string[] = [];
    for (const order of orders) {
      await bench.run(order);
      users.push(await bench.text(order.lease));
    }
    assert.equal(users[0], users[1]);
    assert.notEqual(users[0], users[2]);
  });
});

it("keeps users apart by their files alone where there are no namespaces", { skip: needsRoot }, async (t) => {
  const bench = await openBench(t, {}, (folder) => examineMachine(folder, ["bwrap", "unshare"]));
  const victim = orderOf(`echo ${canary} > file; echo ready; sleep 100000`, {
    tenant: "acc_victim",
    secrets: { T: canary },
  });
  await bench.start(victim, "ready");
  const thief = orderOf(
    `exec 2>&1; cat ${bench.dir}/work/${victim.lease}/work/file; cat /proc/[0-9]*/environ; ls ${bench.dir}/work; exit 0`,
    {
      tenant: "acc_thief",
    },
  );
  assert.equal((await bench.run(thief)).code, 0);
  const loot = await bench.text(thief.lease);
  assert.ok(!loot.includes(canary));
  assert.match(loot, /work\/file: Permission denied/);
  assert.equal((await bench.until(thief.lease, "prepared")).enforcement.tenant, "uid");
});

it("refuses to run jobs as root when it cannot become another user", { skip: needsRoot }, async (t) => {
  const bench = await openBench(t, {}, async () => ({
    isRoot: true,
    hierarchies: [],
    groupMounts: [],
    means: "nothing",
  }));
  const order = orderOf("true");
  await bench.engine.bind(order);
  assert.match((await bench.until(order.lease, "refused")).reason, /setpriv/);
});

it("refuses calls that reach beyond the job where bwrap can load a filter", async (t) => {
  const bench = await openBench(t);
  const order = orderOf("grep ^Seccomp: /proc/self/status; unshare --user true; exit 0");
  await bench.run(order);
  const { enforcement } = await bench.until(order.lease, "prepared");
  if (enforcement.seccomp !== "bwrap") return t.skip(`seccomp: ${enforcement.seccomp}`);
  const text = await bench.text(order.lease);
  assert.match(text, /Seccomp:\s+2/);
  assert.match(text, /Operation not permitted/);
});

if (!isRoot) {
  it("closes jobs in with bwrap where user namespaces allow it", async (t) => {
    const bench = await openBench(t);
    const order = orderOf("ps ax | wc -l");
    await bench.run(order);
    const { enforcement } = await bench.until(order.lease, "prepared");
    if (enforcement.tenant?.startsWith("none") === true) return t.skip(`tenant: ${enforcement.tenant}`);
    assert.ok(Number(await bench.text(order.lease)) < 10, "it sees its own processes alone");
  });
}
