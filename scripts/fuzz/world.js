import http from "node:http";
import { makeScimWorld } from "./scim.js";
import { send } from "./send.js";

/** Asks as someone and expects it to work. */
export async function must(url, agent, token, method, path, body) {
  const request = {
    method,
    path,
    headers: body && { "content-type": "application/json" },
    body: body && JSON.stringify(body),
  };
  const answer = await send(url, agent, token, request);
  if (!(answer.status < 300)) throw new Error(`${method} ${path}: ${answer.status ?? answer.cut} ${answer.text}`);
  return answer.text === "" ? undefined : JSON.parse(answer.text);
}

/**
 * Two tenants: one that attacks, and one with a canary in everything that it has. The attackers know its name and some
 * ids, and use them; they are never told the canary itself.
 */
export async function makeWorld(url, ownerToken, random) {
  const agent = new http.Agent({ keepAlive: true });
  const ask = (method, path, body, token = ownerToken) => must(url, agent, token, method, path, body);
  const canary = `zqcanary${random.text(10, "abcdefghjkmnpqrstuvwxyz")}`;
  for (const path of ["fuzz", "fuzz/team", "victim", `victim/${canary}`]) {
    const limits = path === "fuzz" ? { limits: { waitingJobsPerUser: 2000 } } : {};
    await ask("POST", "/v1/accounts", { path, max: 4, ...limits });
  }
  const userOf = async (name, role, account) => {
    const user = await ask("POST", "/v1/users", { name, email: `${name}@x.example`, role, account });
    const token = await ask("POST", "/v1/tokens", { user: user.id, label: name });
    return { id: user.id, token: token.token, tokenId: token.id };
  };
  const attackers = [];
  for (const role of ["tenant-admin", "team-admin", "member", "viewer", "auditor"])
    attackers.push(await userOf(`fuzz-${role}`, role, "fuzz"));
  const spares = [await userOf("fuzz-spare-1", "member", "fuzz"), await userOf("fuzz-spare-2", "viewer", "fuzz/team")];
  const victim = await userOf(`${canary}-user`, "tenant-admin", "victim");
  const run = `echo ${canary}`;
  const later = { name: `${canary}-later`, run, project: `victim/${canary}`, not_before: "2100-01-01T00:00:00Z" };
  await ask("PUT", `/v1/accounts/victim/secrets/${canary}`, { value: canary }, victim.token);
  await ask("PUT", "/v1/accounts/fuzz/secrets/S", { value: "s" });
  const job = await ask("POST", "/v1/jobs", { name: `${canary}-job`, run, project: "victim", gpus: 1 }, victim.token);
  const waiting = await ask("POST", "/v1/jobs", later, victim.token);
  const account = await ask("GET", "/v1/accounts/victim", undefined, victim.token);
  const nodes = (await ask("GET", "/v1/nodes")).items.map((node) => node.name);
  const mine = await ask("POST", "/v1/jobs", {
    name: "fz1",
    run: "true",
    project: "fuzz",
    not_before: "2100-01-01T00:00:00Z",
  });
  const scim = await makeScimWorld(ask, canary);
  agent.destroy();
  return {
    canary,
    scim,
    attackers,
    victim,
    /** Names of the victim's things that attackers have got hold of. */
    bait: ["victim", victim.id, victim.tokenId, job.id, waiting.id, account.id],
    accounts: ["fuzz", "fuzz/team", "fuzz/nope", "victim"],
    jobs: [mine.id, "fz1", "fz2", job.id, waiting.id, "job_0000000000000000"],
    users: [...spares.map((user) => user.id), victim.id, "usr_0000000000000000", "owner"],
    tokenIds: [...spares.map((user) => user.tokenId), victim.tokenId, "tok_0000000000000000"],
    nodes: [...nodes, "nope"],
    asked: new Set(),
  };
}
