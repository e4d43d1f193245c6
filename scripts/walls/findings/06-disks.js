import { execFileSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { until } from "../../places/server.js";
import { jobOf, submit } from "../jobs.js";

export const checks = [
  { finding: 6, name: "a job fills its work folder", at: ({ name }) => name !== "root/bwrap", prove: fillFolder },
  { finding: 6, name: "a job logs without end", at: ({ name }) => name !== "root/bwrap", prove: floodLog },
  {
    finding: 6,
    name: "a job fills the disk that the store is on",
    at: ({ name }) => name === "root/unshare" || name === "user/none",
    prove: fillDisk,
  },
  {
    finding: 6,
    name: "a job uses up the inodes of that disk",
    at: ({ name }) => name === "root/unshare",
    prove: fillInodes,
  },
];

const endMsMax = 40_000;

async function fillFolder({ place, openServer }) {
  const server = await openServer({ place });
  try {
    await server.tess("policy", "set", "--max", "scratchMiBPerMember=200");
    const run = "trap '' TERM; dd if=/dev/zero of=fill bs=1M count=4000; sleep 600";
    const id = await submit(server, server.owner, { project: "local", run });
    const said = await endOf(server, id);
    return { held: /more than its limit of 200 MiB/.test(said), seen: said.slice(-200) };
  } finally {
    await server.close();
  }
}

/** The log is rewritten in a circle, and no faster than a supervisor should have to work for one job. */
async function floodLog({ place, openServer }) {
  const server = await openServer({ place });
  try {
    await server.tess("policy", "set", "--max", "logMiBPerMember=16");
    const id = await submit(server, server.owner, { project: "local", run: "timeout 10 yes without end; exit 0" });
    await until("it has ended", endMsMax, async () => (await jobOf(server, server.owner, id)).state === "ended");
    const kib = Number.parseInt(
      execFileSync("du", ["-s", "-k", join(server.data, "engine", "logs")], { encoding: "utf8" }),
      10,
    );
    return {
      held: kib > 10 * 1024 && kib < 20 * 1024,
      seen: `${Math.round(kib / 1024)} MiB on the disk, 16 MiB allowed`,
    };
  } finally {
    await server.close();
  }
}

async function fillDisk({ place, openServer }) {
  const run = "trap '' TERM; dd if=/dev/zero of=fill bs=1M; sleep 600";
  return onSmallDisk({ place, openServer }, ["-i", "16384"], run);
}

async function fillInodes({ place, openServer }) {
  const run = `perl -e 'for (my $i = 0; ; $i++) { open(my $f, ">", "f$i") or sleep 1 }'`;
  return onSmallDisk({ place, openServer }, ["-N", "200000"], run);
}

/** A server whose data folder is a small file system of its own, and a job that fills it. */
async function onSmallDisk({ place, openServer }, options, run) {
  const server = await openServer({ place });
  const image = join(server.folder, "disk.image");
  const kept = join(server.folder, "kept");
  let isMounted = false;
  try {
    await server.stop();
    cpSync(server.data, kept, { recursive: true, preserveTimestamps: true });
    execFileSync("truncate", ["-s", "2G", image]);
    execFileSync("mkfs.ext4", ["-q", "-F", "-m", "0", ...options, image]);
    execFileSync("mount", ["-o", "loop", image, server.data]);
    isMounted = true;
    execFileSync("cp", ["-a", `${kept}/.`, server.data]);
    execFileSync("chown", ["--reference", kept, server.data]);
    if (!place.root) execFileSync("chown", ["-R", "61234:61234", server.data]);
    rmSync(join(server.data, "lost+found"), { recursive: true, force: true });
    await server.start();
    const id = await submit(server, server.owner, { project: "local", run });
    const said = await endOf(server, id);
    const ready = await server.api("GET", "/readyz");
    const next = await server.api("POST", "/v1/jobs", { project: "local", run: "true", gpus: 1 });
    const held = /nearly full|more than its limit/.test(said) && ready.status === 200 && next.status === 201;
    return { held, seen: `${said.slice(-160)}; ready ${ready.status}, next job ${next.status}` };
  } finally {
    await server.stop().catch(() => {});
    if (isMounted) execFileSync("umount", ["-l", server.data]);
    await server.close();
  }
}

/** What a job's log says when it has ended; the last words are those of its supervisor. */
async function endOf(server, id) {
  await until("the job has ended", endMsMax, async () => (await jobOf(server, server.owner, id)).state === "ended");
  return (await server.tess("logs", id)).trim().replaceAll("\n", "; ");
}
