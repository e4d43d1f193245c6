import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { request as secureRequest } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";

const onOne = ({ name }) => name === "root/unshare" || name === "user/none";

async function answerUnder(url, host, ask = request) {
  const { hostname, port } = new URL(url);
  const asked = ask({
    hostname,
    port,
    path: "/v1/session",
    headers: { host },
    rejectUnauthorized: false,
    agent: false,
  });
  asked.end();
  const [answer] = await once(asked, "response");
  answer.resume();
  return answer;
}

/** The suite that a client of TLS 1.2 gets which offers only this one. */
function agreedOn(url, ciphers) {
  const { hostname, port } = new URL(url);
  const options = { host: hostname, port: Number(port), rejectUnauthorized: false, maxVersion: "TLSv1.2", ciphers };
  return new Promise((resolve) => {
    const socket = connect(options, () => {
      resolve(socket.getCipher().name);
      socket.destroy();
    });
    socket.once("error", () => resolve("none"));
  });
}

const weak = ["AES256-GCM-SHA384", "AES128-SHA", "ECDHE-RSA-AES256-SHA384", "ECDHE-RSA-AES128-SHA"];

export const checks = [
  {
    finding: 20,
    name: "anonymous metrics, any Host header, the owner's token on standard error",
    at: onOne,
    async prove({ place, openServer }) {
      const server = await openServer({ place });
      try {
        const metrics = (await server.api("GET", "/metrics", undefined, "")).status;
        const scraped = (await server.api("GET", "/metrics")).status;
        const rebound = (await answerUnder(server.url, "evil.example")).statusCode;
        const own = (await answerUnder(server.url, "localhost:7437")).statusCode;
        const printed = server.said.includes(server.owner.slice(5));
        const held = metrics === 401 && scraped === 200 && rebound === 421 && own === 200 && !printed;
        return { held, seen: `metrics ${metrics}, Host: evil.example ${rebound}, token printed: ${printed}` };
      } finally {
        await server.close();
      }
    },
  },
  {
    finding: 20,
    name: "weak suites of TLS 1.2, no HSTS",
    at: onOne,
    async prove({ place, openServer }) {
      const folder = mkdtempSync(join(tmpdir(), "tess-walls-tls-"));
      const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
      const words = "req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=x -addext subjectAltName=DNS:tess.example";
      spawnSync("openssl", [...words.split(" "), "-keyout", key, "-out", cert]);
      for (const [path, mode] of [
        [folder, 0o755],
        [key, 0o644],
      ])
        chmodSync(path, mode);
      const args = ["--virtual", "1x1:H100", "--tls-cert", cert, "--tls-key", key];
      const server = await openServer({ place, args });
      try {
        const suites = await Promise.all(weak.map((cipher) => agreedOn(server.url, cipher)));
        const old = await agreedOn(server.url, "ECDHE-RSA-AES256-GCM-SHA384");
        const { headers } = await answerUnder(server.url, "tess.example", secureRequest);
        const only = headers["strict-transport-security"] ?? "none";
        const held = [...suites, old].every((each) => each === "none") && /max-age=\d{8}/.test(only);
        return { held, seen: `weak suites agreed on: ${suites.filter((each) => each !== "none")}; HSTS ${only}` };
      } finally {
        await server.close();
        rmSync(folder, { recursive: true, force: true });
      }
    },
  },
];
