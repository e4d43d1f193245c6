import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer as createPlain } from "node:http";
import { createServer as createSecure } from "node:https";
import { connect, createServer as createNet } from "node:net";
import { join } from "node:path";
import { identityOf } from "../../../packages/server/dist/access/identity.js";
import { root } from "../../launch/root.js";

const cli = join(root, "packages/cli/dist/main.js");
const onOne = ({ name }) => name === "root/unshare" || name === "user/none";

/** The real command line, whatever comes of it. */
function type(server, ...words) {
  const env = { PATH: process.env.PATH, HOME: server.folder };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [cli, ...words], { env, cwd: server.work }, (_error, out, err) =>
      resolve({ code: child.exitCode, text: out + err }),
    );
    child.stdin.end();
  });
}

/** A program on the port, which keeps every byte and every header that it is sent. */
async function impostor(port, server) {
  let got = "";
  server.on("connection", (socket) => {
    socket.on("error", () => {});
    socket.on("data", (part) => {
      got += part.toString("latin1");
    });
  });
  server.on("request", (request, response) => {
    got += JSON.stringify(request.headers);
    response.end('{"items":[]}');
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    got: () => got,
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections?.();
      await closed;
    },
  };
}

/** Passes bytes on to the real server, which is elsewhere. */
function relayTo(url) {
  const sockets = new Set();
  const relay = createNet((inside) => {
    const outside = connect({ host: "127.0.0.1", port: Number(new URL(url).port) });
    for (const [one, other] of [
      [inside, outside],
      [outside, inside],
    ]) {
      sockets.add(one);
      one.on("error", () => {});
      one.on("close", () => other.destroy());
      one.pipe(other);
    }
  });
  relay.closeAllConnections = () => {
    for (const socket of sockets) socket.destroy();
  };
  return relay;
}

export const checks = [
  {
    finding: 2,
    name: "another program has the server's port: what tess sends it",
    at: onOne,
    async prove({ place, openServer }) {
      const server = await openServer({ place });
      try {
        const { url, owner } = server;
        const port = Number(new URL(url).port);
        await type(server, "login", url, "--token-file", join(server.data, "owner.token"));
        await server.kill();
        let sent = "";
        const codes = [];
        for (const make of [createPlain, () => createSecure(identityOf(randomBytes(32)))]) {
          const thief = await impostor(port, make());
          const known = ["--data", server.data];
          for (const words of [
            [...known, "ps"],
            ["ps"],
            ["login", url, "--token", owner],
            ["ps", "--server", url, "--token", owner],
          ])
            codes.push((await type(server, ...words)).code);
          sent += thief.got();
          await thief.close();
        }
        await server.start({ port });
        const after = await type(server, "whoami");
        const secret = owner.slice(5);
        const held = !sent.includes(secret) && !/authorization/i.test(sent) && codes.every((code) => code === 69);
        return {
          held: held && after.code === 0,
          seen: `8 commands ended with ${[...new Set(codes)]}; token sent: ${sent.includes(secret)}; works again: ${after.code === 0}`,
        };
      } finally {
        await server.close();
      }
    },
  },
  {
    finding: 2,
    name: "a relay on the server's old port: what it reads",
    at: onOne,
    async prove({ place, openServer }) {
      const server = await openServer({ place });
      try {
        const { url, owner } = server;
        await type(server, "login", url, "--token-file", join(server.data, "owner.token"));
        await server.kill();
        await server.start();
        const relay = await impostor(Number(new URL(url).port), relayTo(server.url));
        const { code } = await type(server, "whoami");
        const read = relay.got();
        await relay.close();
        const leaked = read.includes(owner.slice(5)) || read.includes("/v1/");
        return { held: !leaked && code === 0, seen: `${read.length} bytes passed, readable: ${leaked}` };
      } finally {
        await server.close();
      }
    },
  },
];
