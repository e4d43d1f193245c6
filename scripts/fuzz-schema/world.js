import http from "node:http";
import { must } from "../fuzz/world.js";

/** One of each thing that a path can name, so that requests reach what is behind it. */
export async function makeThings(url, ownerToken) {
  const agent = new http.Agent({ keepAlive: true });
  const ask = (method, path, body) => must(url, agent, ownerToken, method, path, body);
  await ask("POST", "/v1/accounts", { path: "lab" });
  const user = await ask("POST", "/v1/users", { name: "spare", role: "member", account: "lab" });
  // Asks for all that follows: what is done to its user or its tokens must not end the run.
  const tester = await ask("POST", "/v1/users", { name: "tester" });
  await ask("POST", "/v1/role-bindings", { user: tester.id, role: "platform-owner", account: "" });
  const { token } = await ask("POST", "/v1/tokens", { user: tester.id, label: "tester" });
  const spare = await ask("POST", "/v1/tokens", { user: user.id, label: "spare" });
  await ask("PUT", "/v1/accounts/lab/secrets/S", { value: "s" });
  const job = await ask("POST", "/v1/jobs", { run: "true", project: "lab", not_before: "2100-01-01T00:00:00Z" });
  const [node] = (await ask("GET", "/v1/nodes")).items;
  agent.destroy();
  const parameters = {
    account: "lab",
    binding: `${user.id}:member:lab`,
    job: job.id,
    line: "1",
    node: node.name,
    period: "open",
    secret: "S",
    token: spare.id,
    user: user.id,
  };
  return { token, parameters };
}
