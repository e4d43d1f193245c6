import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";

const run = (...words) => execFileSync(words[0], words.slice(1), { stdio: ["ignore", "pipe", "pipe"] });
const inside = (pid, ...words) => run("nsenter", "-t", String(pid), "-n", ...words);

/** The addresses of the node with this number. Every node of this machine has another number, in whichever lab it is. */
export function addressesOf(index) {
  return {
    link: `kn${index}`,
    host: `10.201.${index}.1`,
    address: `10.201.${index}.2`,
    pods: `10.202.${index}.0/24`,
  };
}

/** The lowest number whose link does not exist yet. */
export function freeIndex(taken) {
  const links = new Set(readdirSync("/sys/class/net"));
  for (let index = 1; index < 250; index++) if (!links.has(`kn${index}`) && !taken.has(index)) return index;
  throw new Error("there are 250 real nodes on this machine already");
}

/** A link between this machine and the namespace of process `pid`; it goes with the namespace. */
export function linkToHost(index, pid) {
  const { link, host, address, pods } = addressesOf(index);
  run("ip", "link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", String(pid));
  run("ip", "addr", "add", `${host}/30`, "dev", link);
  run("ip", "link", "set", link, "up");
  inside(pid, "ip", "link", "set", "eth0", "up");
  inside(pid, "ip", "addr", "add", `${address}/30`, "dev", "eth0");
  inside(pid, "ip", "route", "add", "default", "via", host);
  run("ip", "route", "add", pods, "via", address, "dev", link);
}

export function unlinkFromHost(index) {
  try {
    run("ip", "link", "del", addressesOf(index).link);
  } catch {} // it went with its namespace
}

/** Nodes see each other directly, since this machine need not forward between its links. */
export function linkNodes(one, other) {
  const [a, b] = [addressesOf(one.index), addressesOf(other.index)];
  const [toOther, toOne] = [`x${other.index}`, `x${one.index}`];
  const [onePid, otherPid] = [String(one.pid), String(other.pid)];
  run("ip", "link", "add", toOther, "netns", onePid, "type", "veth", "peer", "name", toOne, "netns", otherPid);
  routeVia(one.pid, toOther, a, b);
  routeVia(other.pid, toOne, b, a);
}

function routeVia(pid, link, own, far) {
  inside(pid, "ip", "link", "set", link, "up");
  inside(pid, "ip", "addr", "add", `${own.address}/32`, "dev", link);
  inside(pid, "ip", "route", "add", `${far.address}/32`, "dev", link, "src", own.address);
  inside(pid, "ip", "route", "add", far.pods, "via", far.address, "dev", link, "onlink");
}
