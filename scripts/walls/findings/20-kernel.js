import { outputOf, running, verdict } from "../jobs.js";

const anywhere = () => true;
const hasFiles = ({ name }) => !name.endsWith("/none");

export const checks = [
  { finding: 20, name: "a descriptor that the server inherited", at: anywhere, prove: inherited },
  { finding: 20, name: "new namespaces and unusual sockets", at: anywhere, prove: calls },
  { finding: 20, name: "files of others in /var/tmp", at: hasFiles, prove: sharedTemporary },
];

/** The server is started by something that left a file open which no job may read. */
async function inherited({ place, openServer }) {
  const leave = (words) => ["bash", "-c", 'exec 20</etc/hostname 9</etc/passwd; exec "$@"', "bash", ...words];
  const careless = { ...place, command: (words) => leave(place.command(words)) };
  const server = await openServer({ place: careless });
  try {
    const seen = await outputOf(server, server.owner, "ls -l /proc/self/fd /proc/1/fd");
    return verdict(seen, { "an inherited file is open in a job": /hostname|passwd/ }, "no file is open in a job");
  } finally {
    await server.close();
  }
}

const sockets = [40, 17, 38].map((family) => `socket(S, ${family}, 2, 0) and print "FAMILY ${family}\\n";`).join(" ");

async function calls({ place, openServer }) {
  const server = await openServer({ place });
  try {
    const seen = await outputOf(
      server,
      server.owner,
      [
        "for kind in user mount net pid ipc uts cgroup; do unshare --$kind echo NAMESPACE $kind; done",
        "unshare --user --map-root-user echo NAMESPACE root",
        `perl -e '${sockets} socket(S, 1, 1, 0) and print "usual\\n"'`,
        "grep Seccomp: /proc/self/status",
      ].join("\n"),
    );
    if (!/^usual$/m.test(seen)) return { held: false, seen: `the attack did not run: ${seen.slice(0, 200)}` };
    const broken = { "a namespace was made": /^NAMESPACE/m, "an unusual socket was opened": /^FAMILY/m };
    return verdict(seen, broken, "no namespace, no AF_VSOCK, AF_PACKET or AF_ALG");
  } finally {
    await server.close();
  }
}

async function sharedTemporary({ place, openServer }) {
  const server = await openServer({ place });
  try {
    await running(server, server.owner, { project: "local", run: "echo x > /var/tmp/canary-of-one; sleep 600" });
    await outputOf(server, server.owner, "sleep 1");
    const seen = await outputOf(server, server.owner, "ls -la /var/tmp /tmp; echo looked");
    return verdict(seen, { "the file of another job is there": /canary-of-one/ }, "both folders are its own");
  } finally {
    await server.close();
  }
}
