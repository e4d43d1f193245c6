import { outputOf, running } from "../jobs.js";

const isRoot = ({ name }) => name.startsWith("root/");

export const checks = [
  { finding: 18, name: "other tenants' jobs in the control groups", at: isRoot, prove: listGroups },
];

/** A job looks for the ids of another tenant's jobs wherever the kernel lists groups and processes. */
async function listGroups({ place, openServer }) {
  const server = await openServer({ place });
  try {
    await server.tess("account", "create", "victim");
    await server.tess("account", "create", "thief");
    const thief = await server.person("mallory", "member", "thief");
    const id = await running(server, server.owner, { project: "victim", name: "secret-project", run: "sleep 600" });
    const script =
      "find /sys/fs/cgroup; cat /proc/[0-9]*/cgroup /proc/self/mountinfo; ls /sys/fs/cgroup/*/tessera/jobs";
    const seen = await outputOf(server, thief, script, { project: "thief" });
    if (seen.includes(id) || seen.includes("secret-project"))
      return { held: false, seen: "the id of the victim's job" };
    if (/tessera\/jobs\/[0-9a-f]{32}/.test(seen) && !place.name.endsWith("/none"))
      return { held: false, seen: "the groups of all jobs" };
    return { held: true, seen: "no id, no name and no list of groups" };
  } finally {
    await server.close();
  }
}
