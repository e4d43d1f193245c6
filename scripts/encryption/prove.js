import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Load } from "./load.js";
import { search, searchDatabase } from "./search.js";
import { canaries, inJournal, Stand } from "./stand.js";

/** The steps of a rotation at which the server kills itself, one after the other. */
const crashSteps = [1, 2, 1, 3, 5];
/** A job that runs has its files and its order in clear text: docs/security.md. They go with the job. */
const ofRunningJobs = /\/engine\/(work\/|leases\/[^/]+\/order\.json)/;
const crashWaitMs = 45_000;
const destroyWaitMs = 120_000;

/**
 * Rotates data keys and the master key under load. The server is killed again and again, at random and in the middle of
 * what it does with new keys; meanwhile and in the end the folder is searched. Then everything is read again.
 */
export async function prove({ database, rotations, say }) {
  const stand = new Stand({ database });
  const load = new Load(stand);
  const stolen = Object.fromEntries(Object.keys(canaries).map((name) => [name, new Set()]));
  let files = 0;
  const look = async (whileJobsRun = false) => {
    const places = [search([stand.data], whileJobsRun ? ofRunningJobs : undefined)];
    if (database !== undefined) places.push(await searchDatabase(database));
    for (const place of places) {
      files += place.files;
      for (const [name, paths] of Object.entries(place.found)) for (const path of paths) stolen[name].add(path);
    }
  };
  try {
    if (database !== undefined) await stand.admin(["journal", "encrypt"]);
    await stand.start();
    await load.setSecret();
    for (let number = 0; number < 2; number += 1) await load.submit();
    let shownBefore = inJournal;
    if (database === undefined) {
      for (const { id } of load.jobs) await stand.tess(["wait", id]);
      await stand.end("SIGTERM");
      const { found } = search([stand.data]);
      shownBefore = Object.keys(found).filter((name) => found[name].length > 0);
      await stand.admin(["journal", "encrypt"]);
      await stand.start();
    }
    await look(true);
    load.start();
    const before = await stand.admin(["key", "get"]);
    let [kills, destroyed, oldKeys] = [0, 0, 0];
    for (let rotation = 0; rotation < rotations; rotation += 1) {
      await load.submit(300); // writes its log while the keys under it change
      await stand.admin(["key", "rotate", "--all"]);
      const old = (await stand.admin(["key", "get"])).keys.filter(({ seals }) => !seals).map(({ id }) => id);
      oldKeys += old.length;
      for (const crashAt of crashSteps) {
        await sleep(Math.random() * 2_000);
        if (stand.alive) kills += 1;
        await stand.end("SIGKILL");
        await look(true);
        await stand.start({ crashAt });
        const crashed = await Promise.race([stand.end().then(() => true), sleep(crashWaitMs, false)]);
        if (crashed) kills += 1;
        say(`rotation ${rotation + 1}: ${crashed ? `killed at step ${crashAt}` : `no step ${crashAt} any more`}`);
        if (crashAt === 2) await stand.admin(["key", "rotate", "--master"]);
      }
      if (!stand.alive) await stand.start();
      const left = await untilDestroyed(stand, old);
      destroyed += old.length - left.length;
      say(`rotation ${rotation + 1}: ${old.length - left.length} of ${old.length} old data keys are destroyed`);
    }
    await look(true); // with the server running
    await load.stop();
    const faults = await load.faults();
    const after = await stand.admin(["key", "get"]);
    const verified = await stand.admin(["verify"]);
    await load.backup();
    await stand.end("SIGTERM");
    await look();
    const restored = await restore(stand, load, say);
    const found = Object.fromEntries(Object.entries(stolen).map(([name, paths]) => [name, [...paths]]));
    const result = {
      store: database === undefined ? "sqlite" : "postgres",
      ...{ jobs: load.jobs.length, secretsSet: load.secrets.length, backups: load.backups.length, kills, rotations },
      ...{ refusedWhileDown: load.refused, oldKeys, destroyed, masterRotated: before.master !== after.master },
      ...{ unreadableOrLost: faults, journalSound: verified.sound, restored, shownBefore, filesSearched: files, found },
    };
    const held = [
      ...[oldKeys > 0 && destroyed === oldKeys, result.masterRotated, faults.length === 0, verified.sound, restored],
      Object.values(found).every((paths) => paths.length === 0),
      sameNames(shownBefore, inJournal), // the search finds what is there
    ].every(Boolean);
    return { held, ...result };
  } catch (error) {
    say(stand.said.slice(-3_000));
    throw error;
  } finally {
    await load.stop().catch(() => {});
    await stand.close();
  }
}

const sameNames = (a, b) => [...a].sort().join() === [...b].sort().join();

async function untilDestroyed(stand, old) {
  let left = old;
  for (const end = Date.now() + destroyWaitMs; left.length > 0 && Date.now() < end; await sleep(1_000)) {
    const { keys } = await stand.admin(["key", "get"]);
    left = old.filter((id) => keys.some((key) => key.id === id));
  }
  return left;
}

/**
 * Restores the last backup elsewhere; whether its journal is sound and its secrets open for a job, which shows a part of
 * one: whole values are left out of logs.
 */
async function restore(stand, load, say) {
  const data = join(stand.folder, "restored");
  await stand.admin(["restore", load.backups.at(-1), "--key-file", join(stand.data, "keys", "backup.key")], data);
  await stand.start({ data });
  const ran = await stand.tess(
    ["run", "--gpus", "1", "--secret", "TOKEN", "--", "sh", "-c", 'echo "$TOKEN" | cut -c 8-'],
    {
      data,
    },
  );
  const { sound } = await stand.admin(["verify"], data);
  await stand.end("SIGTERM");
  const isOpen = ran.out.includes(load.secrets.at(-1).slice("canary-".length));
  if (!isOpen) say(`the restored server ran a job with: ${ran.out}${ran.err}`);
  return sound && isOpen && search([join(data, "store")]).found.command.length === 0;
}
