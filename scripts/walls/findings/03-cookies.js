import { spawn } from "node:child_process";
import { join } from "node:path";
import { openChromium } from "../../../packages/web/dist/headless/chromium.js";
import { WatchedPage } from "../../../packages/web/dist/headless/watched-page.js";
import { root } from "../../launch/root.js";
import { until } from "../../places/server.js";

const cli = join(root, "packages/cli/dist/main.js");
const onOne = ({ name }) => name === "root/unshare" || name === "user/none";

/** A page that tells its job all that the browser sends it. */
const page = `exec python3 -uc '
import http.server
class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        print("GOT", self.path, str(self.headers).replace(chr(10), " "))
        self.send_response(200); self.send_header("Content-Type", "text/html"); self.end_headers()
        self.wfile.write(b"<title>page of a job</title>")
    def log_message(self, *words): pass
http.server.HTTPServer(("127.0.0.1", 8000), Page).serve_forever()
'`;

/** A port of this host that leads to the job. */
async function forward(server) {
  const words = [cli, "--data", server.data, "port-forward", "page", ":8000"];
  const child = spawn(process.execPath, words, { env: { PATH: process.env.PATH, HOME: server.folder } });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (part) => {
      said += part;
    });
  const port = await until(`a forwarded port: ${said}`, 20_000, () => /:(\d+) -> page/.exec(said)?.[1]);
  return { port, close: () => child.kill("SIGINT") };
}

/** What a script of the job's page gets out of the console, with all that a browser lets it try. */
function tryAll(url) {
  const refused = () => "nothing";
  const read = fetch(`${url}/v1/whoami`, { credentials: "include" }).then((answer) => `read ${answer.status}`, refused);
  const change = fetch(`${url}/v1/session/link`, { method: "POST", credentials: "include" }).then(
    (answer) => `changed ${answer.status}`,
    refused,
  );
  const stream = new Promise((resolve) => {
    const source = new EventSource(`${url}/v1/jobs`, { withCredentials: true });
    source.onmessage = () => resolve("streamed");
    source.onerror = () => resolve("nothing");
  });
  return Promise.all([read, change, stream, `${Object.keys(localStorage)}${document.cookie}` || "nothing"]);
}

export const checks = [
  {
    finding: 3,
    name: "the owner opens a page of a job on another port of the console's host",
    at: onOne,
    async prove({ place, openServer }) {
      const browser = await openChromium();
      if ("missing" in browser) return { held: false, seen: browser.missing };
      const server = await openServer({ place });
      const { url, owner } = server;
      let way;
      try {
        await server.tess("run", "-d", "--name", "page", "--workdir", "none", "--", page);
        await until("the page listens", 20_000, () =>
          server
            .tess("exec", "page", "--", "python3", "-c", "import socket; socket.create_connection(('127.0.0.1', 8000))")
            .then(
              () => true,
              () => false,
            ),
        );
        way = await forward(server);
        const watched = await WatchedPage.open(browser, url);
        await watched.signInWithToken(owner);
        const tab = await watched.page.context().newPage();
        await tab.goto(`http://127.0.0.1:${way.port}/taken`);
        const got = await tab.evaluate(tryAll, url);
        const log = await until("the page was asked for", 10_000, async () => {
          const text = await server.tess("logs", "page");
          return text.includes("GOT /taken") ? text : undefined;
        });
        const [, cookie = ""] = /Cookie: (\S*tessera=[^\s;]+)/i.exec(log) ?? [];
        const answers = await Promise.all(
          [
            ["GET", "/v1/whoami"],
            ["GET", "/v1/jobs"],
            ["POST", "/v1/session/link"],
            ["DELETE", "/v1/session"],
          ].map(([method, path]) =>
            server.api(method, path, undefined, "", { cookie, origin: url, "sec-fetch-site": "same-origin" }),
          ),
        );
        const statuses = answers.map(({ status }) => status);
        await watched.page.reload();
        await watched.page.locator(".frame").waitFor();
        const leaked = log.includes(owner.slice(5));
        const held =
          !leaked && cookie !== "" && got.every((each) => each === "nothing") && statuses.every((each) => each === 401);
        return {
          held,
          seen: `token in the log: ${leaked}; its script got ${[...new Set(got)]}; the cookie it was sent opens ${statuses}`,
        };
      } finally {
        way?.close();
        await browser.close();
        await server.close();
      }
    },
  },
];
