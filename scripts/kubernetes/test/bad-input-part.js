import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { openServer } from "../../places/server.js";
import { freePorts } from "../lab/ports.js";
import { here } from "../tessera.js";
import { Results } from "./results.js";

/** Clusters that cannot be used: the message must name what is wrong and what helps, and nothing may be left of the try. */
export async function testBadInput(lab, { say }) {
  const results = new Results(say);
  const server = await openServer({ place: here, args: ["--virtual", "1x1:L40S"], name: "tess-bad" });
  const old = await oldApi(lab.plane.certificates, "v1.28.3");
  const good = JSON.parse(readFileSync(lab.kubeconfig, "utf8"));
  const withServer = (address) => ({
    ...good,
    clusters: [{ name: "lab", cluster: { ...good.clusters[0].cluster, server: address } }],
  });
  const [closedPort] = await freePorts(1);
  const refuses = (name, config, expected, words = []) =>
    results.check(name, async () => {
      const file = server.file("bad.kubeconfig", config);
      const said = await server
        .tess("engine", "create", "bad", "--kind", "kubernetes", "--kubeconfig", file, ...words)
        .then(
          () => "nothing: it was created",
          (error) => error.stderr,
        );
      const engines = await server.tess("engine", "get", "-o", "name");
      if (/\bbad\b/.test(engines)) return `${said.trim()}; and the engine is there`;
      return expected.test(said) || said.trim();
    });
  try {
    await refuses("a file that is no kubeconfig", "{hello", /kubeconfig/i);
    await refuses("a context that is not in it", good, /no context "south"/, ["--context", "south"]);
    await refuses(
      "an address where nothing listens",
      withServer(`https://127.0.0.1:${closedPort}`),
      /cannot be reached|refused/i,
    );
    const strange = structuredClone(good);
    delete strange.clusters[0].cluster["certificate-authority-data"];
    await refuses("a certificate that is not trusted", strange, /certificate/i);
    const expired = readFileSync(lab.user("late", { groups: ["system:masters"], expired: true }));
    await refuses("a client certificate that has expired", JSON.parse(expired), /expired/i);
    const powerless = readFileSync(lab.user("guest"));
    await refuses("a user without rights", JSON.parse(powerless), /may not|forbidden|cannot .*(list|create|get)/i);
    await refuses("an API server that is too old", withServer(old.url), /1\.28[\s\S]*1\.30/);
    await refuses("a setting that does not exist", good, /colour/, ["--set", "colour=blue"]);
    return results.summary;
  } finally {
    old.close();
    await server.close();
  }
}

/** Answers as an API server of another version would, as far as it is asked for its version. */
async function oldApi(certificates, gitVersion) {
  const [, major, minor] = /^v(\d+)\.(\d+)/.exec(gitVersion);
  const [cert, key] = ["api-server.crt", "api-server.key"].map((name) => readFileSync(certificates.path(name)));
  const server = createServer({ cert, key }, (_, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ major, minor, gitVersion }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { url: `https://127.0.0.1:${server.address().port}`, close: () => server.close() };
}
