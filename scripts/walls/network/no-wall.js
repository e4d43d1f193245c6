/** A server that cannot keep networks apart says so at its start and of each job, and refuses jobs that insist on it. */
export async function saysNoWall({ place, openServer }) {
  const server = await openServer({ place });
  try {
    const isSaid = /jobs share the network of this machine/.test(server.said);
    await server.tess("run", "-d", "--name", "plain", "--workdir", "none", "--", "sleep 30");
    await server.tess("wait", "plain", "--for", "running").catch(() => {});
    const described = /network by ([^,]*)/.exec(await server.tess("describe", "plain"))?.[1] ?? "nothing";
    const hasWall = described.startsWith("namespace");
    const strict = await server.tess("run", "--strict", "--workdir", "none", "--", "true").then(
      () => "ran",
      (error) => String(error.stderr ?? error.message),
    );
    const isRefused = strict !== "ran";
    const port = new URL(server.url).port;
    const reach = `python3 -c 'import socket; socket.create_connection(("127.0.0.1", ${port}), 2); print("REACHED")'`;
    const isReached = hasWall && /REACHED/.test(await server.tess("exec", "plain", "--", reach).catch(() => ""));
    const held = hasWall ? !isSaid && !isReached : isSaid && described.startsWith("none") && isRefused;
    return {
      held,
      seen: `start ${isSaid ? "says it" : "says nothing"}; describe: ${described}; strict ${isRefused ? "refused" : "ran"}${isReached ? "; the control plane was reached" : ""}`,
    };
  } finally {
    await server.close();
  }
}
