import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** bcrypt of "password". */
const hash = "$2a$10$2b2cU8CPhOTaGrs1HRQuAueS7JTT5ZHsHSzYiFPm1leZck7Mc8T4W";

async function freePort() {
  const server = createServer();
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address();
  await new Promise((closed) => server.close(closed));
  return port;
}

/** A real Dex on loopback with one person: ana@example.org, password "password", in the group ml. */
export async function startDex(binary, redirectUri) {
  const folder = mkdtempSync(join(tmpdir(), "tessera-dex-"));
  const issuer = `http://127.0.0.1:${await freePort()}/dex`;
  const config = {
    issuer,
    storage: { type: "memory" },
    web: { http: new URL(issuer).host },
    oauth2: { skipApprovalScreen: true },
    staticClients: [{ id: "tessera", secret: "dex-client-secret", name: "Tessera", redirectURIs: [redirectUri] }],
    enablePasswordDB: true,
    staticPasswords: [
      {
        ...{ email: "ana@example.org", hash, username: "ana", preferredUsername: "ana", groups: ["ml"] },
        userID: "08a8684b-db88-4b73-90a9-3cd1661f5466",
      },
    ],
  };
  writeFileSync(join(folder, "config.yaml"), JSON.stringify(config));
  const child = spawn(binary, ["serve", join(folder, "config.yaml")], { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.on("data", (chunk) => {
    said += chunk;
  });
  for (let i = 0; ; i++) {
    if (i > 100 || child.exitCode !== null) throw new Error(`Dex did not start:\n${said}`);
    const answer = await fetch(`${issuer}/.well-known/openid-configuration`).catch(() => undefined);
    if (answer?.ok) break;
    await sleep(100);
  }
  return {
    issuer,
    secret: "dex-client-secret",
    fields: { login: "ana@example.org", password: "password" },
    async close() {
      child.kill("SIGTERM");
      await new Promise((done) => child.once("close", done));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
