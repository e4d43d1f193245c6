import type { NetworkOrder } from "@tessera/engine";
import { type Hub, hubPath } from "./hub.ts";
import type { WayOut } from "./means.ts";

/** What was resolved is forgotten after this time, unless it is resolved again. */
const forgottenAfter = "1h";

/** Rules in the hub of a job that says where it goes: all else is turned back at once. They go with the hub. */
export function declareScript(hub: Hub, { egress }: NetworkOrder): string[] {
  if (egress !== "declared" || hub.wayOut === undefined) return [];
  const enter = `nsenter --net=${hubPath(hub)} --`;
  if (hub.wayOut === "nft") {
    return [
      `${enter} nft -f - <<'RULES'
table ip egress {
  set allowed { type ipv4_addr . inet_service; flags timeout; timeout ${forgottenAfter}; }
  chain leave {
    type filter hook forward priority 0; policy accept;
    oifname != "eth0" accept
    ct state established,related accept
    meta l4proto { tcp, udp } ip daddr . th dport @allowed accept
    reject with icmp type admin-prohibited
  }
}
RULES`,
    ];
  }
  return [
    `${enter} iptables -w -N ALLOWED`,
    `${enter} iptables -w -A FORWARD ! -o eth0 -j ACCEPT`,
    `${enter} iptables -w -A FORWARD -m conntrack --ctstate ESTABLISHED,RELATED -j ACCEPT`,
    `${enter} iptables -w -A FORWARD -j ALLOWED`,
    `${enter} iptables -w -A FORWARD -j REJECT --reject-with icmp-admin-prohibited`,
  ];
}

/** Lets a job connect to this address and port. */
export function allowScript(hubNamespace: string, wayOut: WayOut, address: string, port: number): string {
  const enter = `nsenter --net=${hubNamespace} --`;
  if (wayOut === "nft") {
    const element = `${address} . ${port}`;
    // An element that is there keeps its time: it is taken out first, in one step with the new one.
    return `${enter} nft -f - <<'RULES'
add element ip egress allowed { ${element} }
delete element ip egress allowed { ${element} }
add element ip egress allowed { ${element} timeout ${forgottenAfter} }
RULES`;
  }
  return ["tcp", "udp"]
    .map((protocol) => `-p ${protocol} -d ${address} --dport ${port} -j ACCEPT`)
    .map((rule) => `${enter} iptables -w -C ALLOWED ${rule} 2>/dev/null || ${enter} iptables -w -A ALLOWED ${rule}`)
    .join("\n");
}

export interface Target {
  readonly host: string;
  readonly port: number;
}

/** `host:port` apart. */
export function targetOf(text: string): Target {
  const at = text.lastIndexOf(":");
  return { host: text.slice(0, at), port: Number(text.slice(at + 1)) };
}
