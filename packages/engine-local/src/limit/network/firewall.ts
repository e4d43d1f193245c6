import { pool } from "./block.ts";
import { runScript, succeeds } from "./programs.ts";

export type Firewall = "nft" | "iptables";

/** Links of all servers of the machine begin with this; those of one server go on with its mark. */
export const linkPrefix = "tess";

/**
 * What the machine itself does with packets of jobs, the same for all jobs of all servers: none is for the machine, none for
 * another job, the rest leaves under the machine's address. From outside come answers only. Laid in one step, so that
 * there is no moment without them.
 */
const nftRules = `nft -f - <<'RULES'
add table ip tessera
delete table ip tessera
table ip tessera {
  chain input {
    type filter hook input priority -150; policy accept;
    iifname "${linkPrefix}*" drop
  }
  chain forward {
    type filter hook forward priority -150; policy accept;
    iifname "${linkPrefix}*" oifname "${linkPrefix}*" drop
    oifname "${linkPrefix}*" ct state established,related accept
    oifname "${linkPrefix}*" drop
  }
  chain leave {
    type nat hook postrouting priority 100; policy accept;
    ip saddr ${pool.text} oifname != "${linkPrefix}*" masquerade
  }
}
RULES`;

/** Each is put before those that are there: the last one here is asked first. */
const iptablesRules = [
  ["filter", "INPUT", `-i ${linkPrefix}+ -j DROP`],
  ["filter", "FORWARD", `-o ${linkPrefix}+ -j DROP`],
  ["filter", "FORWARD", `-o ${linkPrefix}+ -m conntrack --ctstate ESTABLISHED,RELATED -j ACCEPT`],
  ["filter", "FORWARD", `-i ${linkPrefix}+ -j ACCEPT`],
  ["filter", "FORWARD", `-i ${linkPrefix}+ -o ${linkPrefix}+ -j DROP`],
  ["nat", "POSTROUTING", `-s ${pool.text} ! -o ${linkPrefix}+ -j MASQUERADE`],
]
  .map(([table, chain, rule]) => {
    const command = `iptables -w -t ${table}`;
    return `${command} -C ${chain} ${rule} 2>/dev/null || ${command} -I ${chain} ${rule}`;
  })
  .join("\n");

/**
 * A machine that forwarded nothing forwards for jobs from now on, and must not become a router for its neighbours: new
 * connections from outside that are not for a job, and that no rule of others leads further, end here.
 */
const guards: { readonly [firewall in Firewall]: string } = {
  nft: `nft -f - <<'RULES'
add table ip tess-guard
add set ip tess-guard outside { type ifname; }
add chain ip tess-guard forward { type filter hook forward priority -140; policy accept; }
flush chain ip tess-guard forward
add rule ip tess-guard forward iifname @outside oifname != "${linkPrefix}*" ct state new ct status & dnat == 0 drop
RULES
guard() { nft add element ip tess-guard outside "{ $1 }"; }`,
  iptables: `guard() {
  iptables -w -I FORWARD -i "$1" ! -o ${linkPrefix}+ -m conntrack --ctstate NEW -m conntrack ! --ctstate DNAT -j DROP
}`,
};

function forwardingScript(firewall: Firewall): string {
  return `[ "$(cat /proc/sys/net/ipv4/ip_forward)" = 0 ] || exit 0
left=
for device in $(ip -4 route show table all type unicast | sed -n 's/.* dev \\([^ ]*\\).*/\\1/p' | sort -u); do
  case $device in lo | ${linkPrefix}*) continue ;; esac
  now=$(cat /proc/sys/net/ipv4/conf/$device/forwarding 2>/dev/null) || continue # gone since: containers come and go
  [ "$now" = 1 ] || left="$left $device"
done
[ -n "$left" ] || exit 0
${guards[firewall]}
for device in $left; do
  guard "$device"
  { echo 1 > /proc/sys/net/ipv4/conf/$device/forwarding; } 2>/dev/null || [ ! -e /proc/sys/net/ipv4/conf/$device ]
done`;
}

/** Whether this firewall can be asked for anything at all. */
export function worksHere(firewall: Firewall): Promise<boolean> {
  return succeeds(firewall === "nft" ? "nft list tables" : "iptables -w -t nat -S && iptables -w -S");
}

/** Lays the rules, where they are not there already. They hold for every server and stay: without jobs they match nothing. */
export async function layRules(firewall: Firewall): Promise<void> {
  await runScript(firewall === "nft" ? nftRules : iptablesRules);
  await runScript(forwardingScript(firewall));
}
