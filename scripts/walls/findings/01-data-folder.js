import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { outputOf, running } from "../jobs.js";

/** Without root and bwrap nothing hides files: the start says so, and there is one tenant. */
const hides = ({ name }) => name !== "user/none";
const hasOneUser = ({ name }) => name.startsWith("user/");

export const checks = [
  { finding: 1, name: "a member's job reads the data folder", at: hides, prove: readByJob },
  { finding: 1, name: "tess exec into a job reads the data folder", at: hides, prove: readByEntry },
  { finding: 1, name: "a second tenant on a server without root", at: hasOneUser, prove: secondTenant },
];

const attack = (data) =>
  [
    `find ${data} -type f 2>/dev/null | grep -v /engine/`,
    `cat ${data}/owner.token ${data}/keys/* ${data}/keys/data/* ${data}/*.token ${data}/endpoint.json`,
    `echo planted > ${data}/store/planted; echo planted > ${data}/planted`,
    `ls ${data}/store ${data}/content ${data}/engine/leases`,
    "true",
  ].join("\n");

async function readByJob({ place, openServer }) {
  const server = await openServer({ place });
  try {
    const member = await server.person("mallory", "member", "local");
    return judge(server, await outputOf(server, member, attack(server.data)));
  } finally {
    await server.close();
  }
}

async function readByEntry({ place, openServer }) {
  const server = await openServer({ place });
  try {
    const member = await server.person("mallory", "member", "local");
    const id = await running(server, member, { project: "local", run: "sleep 600" });
    const script = `exec 2>&1; ${attack(server.data).replaceAll("\n", "; ")}; grep Seccomp: /proc/self/status`;
    const seen = await server.tessAs(member, "exec", id, "--", "sh", "-c", script);
    if (!/Seccomp:\s+2/.test(seen)) return { held: false, seen: "the entry runs without the filter of system calls" };
    return judge(server, seen);
  } finally {
    await server.close();
  }
}

function judge(server, seen) {
  const secrets = [server.owner, ...keyTexts(join(server.data, "keys"))];
  const read = secrets.filter((secret) => secret.length > 8 && seen.includes(secret)).length;
  if (read > 0) return { held: false, seen: `${read} secrets were read` };
  const planted = [join(server.data, "store"), server.data].some((folder) => readdirSync(folder).includes("planted"));
  if (planted) return { held: false, seen: "a file was written into the data folder" };
  const listed = /store\.sqlite|owner\.token$/m.test(seen.replace(/^.*(No such file|Permission denied).*$/gm, ""));
  if (listed) return { held: false, seen: "the names in the data folder were listed" };
  return { held: true, seen: `${secrets.length} secrets, none read; nothing listed or written` };
}

/** Also those of the folder of data keys. */
function keyTexts(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), "latin1").trim());
}

async function secondTenant({ place, openServer }) {
  const server = await openServer({ place });
  try {
    if (!server.said.includes("one tenant only")) return { held: false, seen: "the start does not say it" };
    await outputOf(server, server.owner, "true");
    await server.tess("account", "create", "second");
    const { status, json } = await server.api("POST", "/v1/jobs", { project: "second", run: "true", gpus: 1 });
    if (status < 400) return { held: false, seen: "its job was taken" };
    const says = /as root/.test(`${json?.detail} ${json?.hint}`);
    return { held: json?.field === "project" && says, seen: `${status}: ${json?.detail}` };
  } finally {
    await server.close();
  }
}
