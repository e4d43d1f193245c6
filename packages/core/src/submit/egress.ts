import { type Refusal, refuse } from "../journal/refusal.ts";
import { type Egress, egressTargetsMax } from "../model/egress.ts";

const hostAndPort = /^(?<host>[a-z0-9.-]{1,253}):(?<port>\d{1,5})$/;
const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const hint = "write a name or an IPv4 address and a port, such as pypi.org:443";

/** Where jobs may connect, with names in lower case and each target once. */
export function parseEgress(given: Egress | undefined, field: string): Egress | undefined | Refusal {
  if (given === undefined || typeof given === "string") return given;
  if (given.allow.length > egressTargetsMax) {
    const why = `names more than ${egressTargetsMax} targets`;
    return refuse("invalid", `${field}.allow`, given.allow.length, why, "name fewer, or use egress: all");
  }
  const targets = given.allow.map((target) => target.toLowerCase());
  for (const [i, target] of targets.entries()) {
    const { host = "", port = "0" } = hostAndPort.exec(target)?.groups ?? {};
    if (!isHost(host) || Number(port) < 1 || Number(port) > 65_535)
      return refuse("invalid", `${field}.allow[${i}]`, given.allow[i]!, "is not a host and a port", hint);
  }
  return { allow: [...new Set(targets)].sort() };
}

function isHost(text: string): boolean {
  return /^[\d.]+$/.test(text) ? isAddress(text) : text.split(".").every((part) => label.test(part));
}

function isAddress(text: string): boolean {
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) <= 255);
}
