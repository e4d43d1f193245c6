import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { root } from "../launch/root.js";

const program = join(root, "packages/server/dist/admin.js");

/** Runs `tess admin` at the place of a server: its exit status, and all that it printed. */
export async function admin({ place, data }, ...words) {
  const [command, ...rest] = place.command([process.execPath, program, ...words, "--data", data]);
  try {
    const { stdout, stderr } = await promisify(execFile)(command, rest, { env: process.env });
    return { code: 0, said: `${stdout}${stderr}` };
  } catch (error) {
    return { code: error.code, said: `${error.stdout}${error.stderr}` };
  }
}

/** A user with a password and a token. */
export async function personWithPassword(server, name, password) {
  const token = await server.person(name, "member", "local");
  const { json } = await server.api("GET", `/v1/users/${name}`);
  const set = await server.api("PUT", `/v1/users/${json.id}/password`, { password });
  if (set.status >= 300) throw new Error(`the password of ${name} was not set: ${set.text}`);
  return { id: json.id, name, token, password };
}

export async function answersTo(server, { token, name, password }) {
  const asked = await server.api("GET", "/v1/whoami", undefined, token);
  const signedIn = await server.api("POST", "/v1/session", { name, password }, null, {
    "sec-fetch-site": "same-origin",
    origin: server.url,
  });
  return { token: asked.status, password: signedIn.status };
}
