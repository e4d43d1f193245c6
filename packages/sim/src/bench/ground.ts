/** A request to the API that must succeed. */
async function ask(url: string, token: string, method: string, path: string, body?: object, more = {}) {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...more },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return JSON.parse(text);
}

/** Makes jobs wait, as many as come: submissions are measured, not runs. */
export async function cordonAll(url: string, token: string): Promise<void> {
  const { revision, ...policy } = await ask(url, token, "GET", "/v1/policy");
  const max = {
    ...policy.max,
    ...{ waitingJobsPerUser: 10_000_000, waitingJobsPerTenant: 10_000_000 },
    ...{ jobFilesMiBPerUser: 65_536, jobFilesMiBPerTenant: 65_536 },
  };
  await ask(url, token, "PUT", "/v1/policy", { ...policy, max }, { "if-match": revision });
  const nodes = (await ask(url, token, "GET", "/v1/nodes")) as { items: { name: string }[] };
  for (const { name } of nodes.items) await ask(url, token, "POST", `/v1/nodes/${name}/cordon`, {});
}

/** Tokens of new users of `project`. One user alone would reach the rate limit. */
export async function makeUsers(url: string, token: string, project: string, count: number): Promise<string[]> {
  const tokens: string[] = [];
  for (let i = 0; i < count; i++) {
    const name = `bench${i}`;
    await ask(url, token, "POST", "/v1/users", { name, role: "member", account: project });
    const made = (await ask(url, token, "POST", "/v1/tokens", { user: name })) as { token: string };
    tokens.push(made.token);
  }
  return tokens;
}
