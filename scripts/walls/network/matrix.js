import { createSocket } from "node:dgram";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { networkInterfaces } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { tessWithInput } from "./entered.js";

const [listener, reacher] = ["listen.py", "reach.py"].map((name) =>
  readFileSync(new URL(name, import.meta.url), "utf8"),
);
const ports = { first: 8_000, count: 20 };
const startMsMax = 60_000;

/** Jobs of several tenants, alone and as gangs over two nodes. Each has loopback ports of its own, so that a hit tells whose it is. */
const jobs = [
  { account: "red", name: "red-solo", nodes: 1 },
  { account: "red", name: "red-gang", nodes: 2 },
  { account: "blue", name: "blue-solo", nodes: 1 },
  { account: "blue", name: "blue-gang", nodes: 2 },
  { account: "green", name: "green-solo", nodes: 1 },
].map((job, i) => ({ ...job, loopback: 9_000 + 100 * i }));

/** Every member tries every port of every other job, the machine and the control plane; gangs try their own. */
export async function tryMatrix(server) {
  const host = await listenOnHost();
  try {
    for (const account of new Set(jobs.map((job) => job.account))) await server.tess("account", "create", account);
    for (const { account, name, nodes, loopback } of jobs) {
      const spans = `${ports.first}:${ports.count} ${loopback}:${ports.count}`;
      const run = `exec python3 -c "$LISTEN" ${spans}`;
      const job = { name, project: account, nodes, run, env: { LISTEN: listener } };
      await server.tess("run", "-d", server.file(`${name}.json`, job));
    }
    const members = await untilListening(server);
    const cells = [];
    for (const member of members) {
      const { output } = await tessWithInput(server, targetsOf(member, members, host, server).join("\n"), [
        ...["exec", member.id, "--", `python3 -c '${reacher}'`],
      ]);
      const reached = [...output.matchAll(/^reached (\S+)$/gm)].map(([, target]) => target);
      const own = reached.filter((target) => member.gang.includes(target.split(":")[1]));
      const tried = Number(/^tried (\d+)$/m.exec(output)?.[1] ?? 0);
      cells.push({ member, tried, across: reached.filter((target) => !own.includes(target)), own: own.length });
    }
    const logs = await Promise.all(jobs.map(({ name }) => server.tess("logs", name).catch(() => "")));
    const strangers = logs.join("\n").match(/^.*stranger .*$/gm) ?? [];
    return { cells, strangers, met: host.met, members };
  } finally {
    host.close();
  }
}

/** What one member tries: its own gang as well, which must answer. */
function targetsOf(member, members, { port, addresses }, server) {
  const span = (first) => Array.from({ length: ports.count }, (_, i) => first + i);
  const both = (address, port) => [`tcp:${address}:${port}`, `udp:${address}:${port}`];
  const wayOut = member.address.replace(/\d+$/, (last) => String((Number(last) & ~63) + 1));
  const control = Number(new URL(server.url).port);
  const machine = [...addresses, "127.0.0.1", wayOut, "169.254.169.254"];
  return [
    ...members
      .filter(({ id }) => id !== member.id)
      .flatMap(({ address }) => span(ports.first).flatMap((each) => both(address, each))),
    ...jobs
      .filter(({ name }) => name !== member.job)
      .flatMap(({ loopback }) => span(loopback).map((each) => `tcp:127.0.0.1:${each}`)),
    ...machine.flatMap((address) => [...both(address, port), `tcp:${address}:${control}`]),
  ];
}

async function untilListening(server) {
  const until = performance.now() + startMsMax;
  for (;;) {
    const members = [];
    for (const { name, nodes } of jobs) {
      const gang = [];
      for (let rank = 0; rank < nodes; rank += 1) {
        const text = await server.tess("logs", name, "--rank", String(rank)).catch(() => "");
        gang.push(/listens at ([\d.]+)/.exec(text)?.[1]);
      }
      members.push(
        ...gang.map((address, rank) => ({ job: name, id: nodes === 1 ? name : `${name}.${rank}`, address, gang })),
      );
    }
    if (members.every(({ address }) => address !== undefined)) return members;
    if (performance.now() > until) throw new Error("not every job listened in time");
    await sleep(200);
  }
}

/** A port of the machine on all its addresses that no job may reach, over TCP and UDP. */
async function listenOnHost() {
  const host = { met: 0 };
  const server = createServer((socket) => {
    host.met += 1;
    socket.destroy();
  }).listen(0, "0.0.0.0");
  await once(server, "listening");
  const datagrams = createSocket("udp4").on("message", (_, from) => {
    host.met += 1;
    datagrams.send("here", from.port, from.address);
  });
  datagrams.bind(server.address().port);
  await once(datagrams, "listening");
  const addresses = Object.values(networkInterfaces())
    .flat()
    .filter(({ family, internal }) => family === "IPv4" && !internal)
    .map(({ address }) => address);
  return Object.assign(host, {
    port: server.address().port,
    addresses,
    close() {
      server.close();
      datagrams.close();
    },
  });
}
