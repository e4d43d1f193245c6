import { rmSync } from "node:fs";
import { openServer, until } from "../places/server.js";

/** The name of the lab as an engine of the server. */
export const engineName = "lab";
export const image = "localhost/busybox:1";

/** A server, started as the user of this process. */
export const here = { root: process.getuid() === 0, command: (words) => words };

/**
 * A real server process with the lab as one of its engines. Its other engine has one GPU of a model that no test asks for.
 */
export async function openTessera({ kubeconfig, nodes, settings = {}, args = [], name = "tess-kube" }) {
  const server = await openServer({ place: here, args: ["--virtual", "1x1:L40S", ...args], name });
  endWithUs(server);
  try {
    const words = Object.entries({ defaultImage: image, ...settings }).flatMap(([key, value]) => [
      "--set",
      `${key}=${value}`,
    ]);
    await server.tess("engine", "create", engineName, "--kind", "kubernetes", "--kubeconfig", kubeconfig, ...words);
    await untilReached(server, nodes);
    return server;
  } catch (error) {
    await server.close();
    throw error;
  }
}

/** Waits until the engine answers and the server knows this many of its nodes. */
export async function untilReached(server, nodes) {
  await until(`the engine ${engineName} with ${nodes} nodes`, 120_000, async () => {
    const { json } = await server.api("GET", `/v1/engines/${engineName}`);
    return json.reach === "reachable" && json.nodes === nodes;
  });
}

/** A test that is broken off leaves no server behind; its pods go with the lab. */
function endWithUs(server) {
  process.once("exit", () => {
    try {
      process.kill(server.pid, "SIGKILL");
    } catch {} // it has ended already
    rmSync(server.folder, { recursive: true, force: true });
  });
}
