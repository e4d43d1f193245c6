/** Two tenants with jobs of several kinds, and a token for each who looks. */
export async function setStage(server) {
  const call = caller(server);
  for (const path of ["acme", "acme/vision", "rival"]) await call("POST", "/v1/accounts", { path });
  const users = {};
  for (const [name, account] of [
    ["ana", "acme"],
    ["bo", "rival"],
  ]) {
    await call("POST", "/v1/users", { name, role: "member", account });
    users[name] = (await call("POST", "/v1/tokens", { user: name, label: "metrics" })).token;
  }
  const job = (token, project, name, gpus, type = "train") =>
    call("POST", "/v1/jobs", { project, name, gpus, type, run: "sleep 3600" }, token);
  await job(users.ana, "acme/vision", "train-vision", 8);
  await job(users.ana, "acme", "notebook", 1);
  await job(users.bo, "rival", "zqcanary-train", 4);
  const metrics = async (token, path) => {
    const answer = await fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${token}` } });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.text();
  };
  return { users, call, metrics };
}

function caller({ url, ownerToken }) {
  return async (method, path, body, token = ownerToken) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text === "" ? {} : JSON.parse(text);
  };
}
