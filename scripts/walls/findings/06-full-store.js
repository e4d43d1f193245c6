import { execFileSync } from "node:child_process";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { until } from "../../places/server.js";

const sizeMiB = 160;

/** Fills the disk to its last block, as a job does that writes without end. */
function fill(path) {
  const file = openSync(path, "w");
  for (const bytes of [1 << 20, 1 << 12, 1 << 9]) {
    try {
      for (;;) writeSync(file, Buffer.alloc(bytes, "x"));
    } catch {} // full
  }
  closeSync(file);
}

/** The store's disk is filled twice: first the reserve is used, then there is none. */
async function fullDisk({ place, openServer }) {
  let disk;
  const prepare = (data) => {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${sizeMiB}m,mode=0755`, "tmpfs", data]);
    disk = data;
  };
  const server = await openServer({ place, prepare });
  const wrong = [];
  const must = (what, held) => {
    if (!held) wrong.push(what);
  };
  const stateOf = async (name) => (await server.api("GET", `/v1/jobs/${name}`)).json?.state;
  const submit = (name, run) => server.api("POST", "/v1/jobs", { project: "local", name, run, gpus: 1 });
  try {
    for (const [name, run] of Object.entries({ ends: "sleep 6", stays: "sleep 600", later: "sleep 600" }))
      await submit(name, run);
    await until("all run", 20_000, async () => (await stateOf("later")) === "running");
    await until("the reserve", 10_000, () => server.said.includes("ready at"));
    fill(join(disk, "ballast"));
    must("507 for a new job", (await submit("more", "true")).status === 507);
    must("reads", (await server.api("GET", "/v1/jobs")).status === 200);
    must("cancels", (await server.api("POST", "/v1/jobs/stays/cancel")).status < 300);
    await until("an ended job is written", 30_000, async () => (await stateOf("ends")) === "ended");
    must("says so", server.said.includes("the disk is full"));
    fill(join(disk, "more-ballast"));
    await server.kill();
    await server.start();
    must("starts on the full disk", (await server.api("GET", "/healthz", undefined, "")).status === 200);
    must("reads after it", (await stateOf("ends")) === "ended");
    for (const name of ["ballast", "more-ballast"]) rmSync(join(disk, name));
    await until(
      "it takes jobs again",
      20_000,
      async () => (await submit(`after-${Date.now()}`, "true")).status === 201,
    );
    const seen = "507 for new jobs, cancels, takes ends of jobs, says so, starts again while full, recovers by itself";
    return { held: wrong.length === 0, seen: wrong.length === 0 ? seen : `not so: ${wrong.join(", ")}` };
  } finally {
    for (const name of ["ballast", "more-ballast"]) rmSync(join(disk, name), { force: true });
    await server.tess("cancel", "later").catch(() => {});
    await server.stop();
    execFileSync("umount", ["-l", disk]);
    await server.close();
  }
}

export const checks = [
  { finding: 6, name: "the disk of the store is full", at: ({ name }) => name === "root/unshare", prove: fullDisk },
];
