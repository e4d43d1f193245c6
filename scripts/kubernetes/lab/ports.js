import { once } from "node:events";
import { createServer } from "node:net";

/** So many free ports on loopback; they stay free until something takes them. */
export async function freePorts(count) {
  const servers = [];
  for (let no = 0; no < count; no++) {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    servers.push(server);
  }
  const ports = servers.map((server) => server.address().port);
  for (const server of servers) server.close();
  return ports;
}
