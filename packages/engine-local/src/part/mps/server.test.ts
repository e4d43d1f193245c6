import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { takeClaim } from "../../lease/folder.ts";
import { atEnd, temporaryFolder } from "../../order.fixture.ts";
import { findProcess } from "../../supervise/processes.ts";
import { fakeMps } from "../../testing/mps.ts";
import { command } from "./control.ts";
import { groupOf, type MpsPlace, placeOf } from "./place.ts";
import { joinServer, leaveServer, type MpsMember, type MpsSite, sweepServers } from "./server.ts";

const isRoot = process.getuid?.() === 0;
const gpu = "GPU-1";

async function siteOf(t: TestContext, options: Parameters<typeof fakeMps>[2] = {}): Promise<MpsSite> {
  const dir = await temporaryFolder(t);
  await fakeMps(t, dir, options);
  const site: MpsSite = {
    folder: join(dir, "mps"),
    locks: join(dir, "parts"),
    leases: join(dir, "leases"),
    bootId: "boot",
    machine: isRoot ? { isRoot, means: "unshare" } : { isRoot, means: "nothing" },
  };
  // Whatever a test leaves has no living members.
  atEnd(t, () => sweepServers({ ...site, leases: join(dir, "none") }));
  return site;
}

/** A member whose supervisor is this process, or one that has ended. */
async function memberOf(site: MpsSite, lease: string, change: Partial<MpsMember> & { dead?: true } = {}) {
  const { dead, ...rest } = change;
  await mkdir(join(site.leases, lease), { recursive: true });
  const startedAt = dead ? "0" : (findProcess(process.pid)?.startedAt ?? "");
  await takeClaim(join(site.leases, lease), { by: "supervisor", pid: process.pid, startedAt, bootId: "boot" });
  return { lease, job: `job_${lease}`, tenant: "acc_a", threads: 25, memoryMiB: 10_000, ...rest };
}

function placeIn(site: MpsSite, group = "group lab"): MpsPlace {
  return placeOf(site.folder, gpu, group, site.machine);
}

async function daemonPid({ pipe }: MpsPlace): Promise<number> {
  return Number(await readFile(join(pipe, "nvidia-cuda-mps-control.pid"), "utf8"));
}

describe("the MPS server of a GPU and a trust group", () => {
  it("starts with its first user and ends with its last, and leaves nothing behind", async (t) => {
    const site = await siteOf(t);
    const place = placeIn(site);
    const [a, b] = [await memberOf(site, "a"), await memberOf(site, "b")];
    await joinServer(site, place, a);
    const pid = await daemonPid(place);
    await joinServer(site, place, b);
    assert.equal(await daemonPid(place), pid, "the second user has the same daemon");
    await leaveServer(site, place, "a");
    assert.notEqual(findProcess(pid), undefined);
    await leaveServer(site, place, "b");
    assert.equal(findProcess(pid), undefined);
    assert.deepEqual([await readdir(site.folder), existsSync(place.shm) && isRoot], [[], false]);
  });

  it("limits a client that sets no limit of its own to the largest part that uses it", async (t) => {
    const site = await siteOf(t);
    const place = placeIn(site);
    const limits = async () => [
      await command(place, "get_default_device_pinned_mem_limit 0"),
      await command(place, "get_default_active_thread_percentage"),
    ];
    await joinServer(site, place, await memberOf(site, "a"));
    assert.deepEqual(await limits(), ["10000M", "25"]);
    await joinServer(site, place, await memberOf(site, "b", { memoryMiB: 20_000, threads: 50 }));
    assert.deepEqual(await limits(), ["20000M", "50"]);
    await leaveServer(site, place, "b");
    assert.deepEqual(await limits(), ["10000M", "25"]);
  });

  it("ends when the supervisors of all its users were killed, and not while one lives", async (t) => {
    const site = await siteOf(t);
    const place = placeIn(site);
    await joinServer(site, place, await memberOf(site, "a"));
    const pid = await daemonPid(place);
    await sweepServers(site);
    assert.notEqual(findProcess(pid), undefined);
    await joinServer(site, place, await memberOf(site, "dead", { dead: true }));
    await leaveServer(site, place, "a");
    assert.equal(findProcess(pid), undefined, "a user whose supervisor is gone does not keep it");
  });

  it("is another one for each trust group, in a folder that no tenant can look into", async (t) => {
    const site = await siteOf(t);
    const [one, other] = [placeIn(site), placeIn(site, "group other")];
    assert.notEqual(one.pipe, other.pipe);
    await joinServer(site, one, await memberOf(site, "a"));
    assert.equal((await stat(one.folder)).mode & 0o077, 0);
    await assert.rejects(joinServer(site, other, await memberOf(site, "b")), /tenants of another trust group/);
  });

  it("starts again after the machine was restarted, whatever lies in its folder", async (t) => {
    const site = await siteOf(t);
    const place = placeIn(site);
    await joinServer(site, place, await memberOf(site, "a"));
    const before = await daemonPid(place);
    process.kill(before, "SIGKILL");
    const later = { ...site, bootId: "later" };
    await joinServer(later, place, await memberOf(site, "b"));
    assert.notEqual(await daemonPid(place), before);
    await leaveServer(later, place, "b");
  });

  it("takes a second tenant of its group only where the driver serves several users", { skip: !isRoot }, async (t) => {
    const site = await siteOf(t, { severalUsers: false });
    const place = placeIn(site);
    await joinServer(site, place, await memberOf(site, "a"));
    await joinServer(site, place, await memberOf(site, "b"));
    await assert.rejects(joinServer(site, place, await memberOf(site, "c", { tenant: "acc_c" })), /one user at a time/);
  });
});

it("a trust group counts for trusted tenants only; all others are alone", () => {
  const terms = { trust: "trusted", trustGroup: "lab" } as const;
  assert.equal(groupOf({ tenant: "acc_a", tenantTerms: terms }), groupOf({ tenant: "acc_b", tenantTerms: terms }));
  for (const tenantTerms of [undefined, { trust: "trusted" } as const, { ...terms, trust: "untrusted" } as const])
    assert.notEqual(groupOf({ tenant: "acc_a", tenantTerms }), groupOf({ tenant: "acc_b", tenantTerms }));
});
