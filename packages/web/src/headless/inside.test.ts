import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Browser } from "playwright-core";
import { openChromium } from "./chromium.ts";
import { OwnServer } from "./server.ts";
import { WatchedPage } from "./watched-page.ts";

const built = existsSync(new URL("../../bundle/index.html", import.meta.url));
const ready = built && existsSync("/usr/bin/python3");
const chromium = ready ? await openChromium() : { missing: "needs the built console, and python3 in jobs" };
const missing = "missing" in chromium ? chromium.missing : undefined;
const browser = chromium as Browser;

/** Stands in for JupyterLab: asks for the token, and computes over a WebSocket what its page sends. */
const notebook = `
import base64, hashlib, http.server, os
page = b"""<!doctype html><title>notebook</title><link rel=icon href=data:,><p id=cookies>%s</p><p id=answer></p><script>
const kernel = new WebSocket("ws://" + location.host + "/kernel");
kernel.onopen = () => kernel.send("6*7");
kernel.onmessage = ({ data }) => { answer.textContent = data; };
document.cookie = "own=1";
</script>"""
class Notebook(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        if self.headers["Authorization"] != "token " + os.environ["JUPYTER_TOKEN"]: return self.send_error(403)
        if self.headers["Upgrade"] == "websocket": return self.kernel()
        body = page % (self.headers["Cookie"] or "none").encode()
        self.send_response(200); self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body))); self.end_headers(); self.wfile.write(body)
    def kernel(self):
        key = self.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        self.send_response(101); self.send_header("Upgrade", "websocket"); self.send_header("Connection", "Upgrade")
        self.send_header("Sec-WebSocket-Accept", base64.b64encode(hashlib.sha1(key.encode()).digest()).decode())
        self.end_headers(); self.wfile.flush()
        head = self.rfile.read(6); asked = self.rfile.read(head[1] & 127)
        text = "".join(chr(c ^ head[2 + i % 4]) for i, c in enumerate(asked))
        answer = str(eval(text)).encode()
        self.wfile.write(bytes([129, len(answer)]) + answer); self.wfile.flush(); self.rfile.read(2); self.close_connection = True
    def log_message(self, *words): pass
http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["TESS_PORT"])), Notebook).serve_forever()
`;

describe("a notebook in a real browser", { skip: missing }, () => {
  const server = new OwnServer("--virtual", "1x2:H100");
  let job = "";

  before(async () => {
    await server.start();
    const spec = { name: "probe", type: "notebook", gpus: 1, run: `exec python3 -c '${notebook}'` } as const;
    job = (await server.call("submitJob", { body: spec })).id;
    while ((await server.call("getJob", { at: { job } })).state !== "running") await sleep(50);
    // It listens a moment after it was started.
    const enter = () => server.call("enterJob", { at: { job }, body: { how: "port" } });
    const listens = (error: Error) => assert.match(error.message, /listens on no port yet/);
    while ((await enter().catch(listens)) === undefined) await sleep(50);
  });
  after(async () => {
    await browser.close();
    await server.call("cancelJob", { at: { job }, body: {} });
    while ((await server.call("getJob", { at: { job } })).state !== "ended") await sleep(50);
    await server.end();
  });

  it("opens from the job's page, at another origin, without anything of the console's", async () => {
    const watched = await WatchedPage.open(browser, server.url);
    await watched.signInWithToken(server.ownerToken);
    await watched.go(`/jobs/${job}`);
    const opened = watched.page.context().waitForEvent("page");
    await watched.page.getByRole("button", { name: "Open" }).click();
    const page = await opened;
    await page.locator("#answer", { hasText: "42" }).waitFor();
    const at = new URL(page.url());
    assert.match(at.hostname, /^[a-z0-9]{16}-p\d+\.localhost$/);
    assert.equal(at.search, "", "the ticket is not left in the address");
    assert.equal(await page.locator("#cookies").textContent(), "none");
    assert.equal(await page.evaluate(() => `${document.cookie} ${window.opener}`), "own=1 null");
    await page.reload();
    await page.locator("#answer", { hasText: "42" }).waitFor();
    assert.equal(await page.locator("#cookies").textContent(), "own=1");
    // With what it can do from there, the page of a job reaches neither the console nor its API.
    const reached = await page.evaluate(
      (url) =>
        fetch(`${url}/v1/whoami`, { credentials: "include" }).then(
          () => "reached",
          () => "refused",
        ),
      server.url,
    );
    assert.equal(reached, "refused");
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });
});
