import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { tess } from "../program.ts";
import { StandIn } from "../testing/stand-in.ts";
import { FakeTerminal } from "../testing/terminal.ts";

const act = ["role", "bind", "ana", "auditor", "lab"];
const binding = { id: "usr_1:auditor:lab", user: "usr_1", userName: "ana", role: "auditor", account: "lab" } as const;
const refusal = {
  status: 403,
  body: {
    ...{ type: "about:blank", title: "Show that it is you", status: 403, code: "step-up-required", requestId: "req_7" },
    ...{ detail: "This needs a second factor.", hint: "Show it in the console." },
  },
};

/** A server that refuses the act until the person was at the page, and then lets it be done. */
async function guarded(t: TestContext) {
  const server = await StandIn.start(t);
  const asked = { shown: false, taken: false, brought: "", port: 0, expiresAt: new Date(Date.now() + 600_000) };
  server.on("bindRole", () => (asked.taken ? binding : refusal));
  server.on("beginStepUp", ({ body }) => {
    asked.port = (body as { port?: number }).port ?? 0;
    const expiresAt = asked.expiresAt.toISOString();
    return { code: "BCDF-GHJK", path: "/step-up?code=BCDF-GHJK", expiresAt, intervalSeconds: 1 };
  });
  server.on("takeStepUp", ({ body }) => {
    const { code } = body as { code?: string };
    asked.brought = code ?? "";
    asked.taken = asked.shown || code !== undefined;
    return { shown: asked.taken };
  });
  return { server, asked };
}

describe("a dangerous act in a terminal", () => {
  it("prints where to show the factor, waits, and is done once", async (t) => {
    const { server, asked } = await guarded(t);
    const terminal = new FakeTerminal({ env: server.env, columns: 80 });
    const ended = tess([...act, "--no-browser"], terminal);
    await terminal.shows(/waiting for the browser/);
    assert.match(terminal.err, /needs your second factor\. Open http:\/\/127\.0\.0\.1:\d+\/step-up\?code=BCDF-GHJK/);
    assert.match(terminal.err, /compare the code: .*BCDF-GHJK/);
    asked.shown = true;
    assert.equal(await ended, 0, terminal.err);
    const [first, second, ...more] = server.requestsTo("bindRole");
    assert.deepEqual(more, [], "refused once and done once");
    assert.equal(first!.headers["idempotency-key"], second!.headers["idempotency-key"], "the same request");
    assert.deepEqual(
      server.requestsTo("beginStepUp").map(({ body }) => (body as { request: string }).request),
      ["req_7"],
    );
  });

  it("opens the browser of this machine, which brings the proof here", async (t) => {
    const { server, asked } = await guarded(t);
    const folder = mkdtempSync(join(tmpdir(), "tess-browser-"));
    t.after(() => rmSync(folder, { recursive: true }));
    const path = process.env.PATH;
    t.after(() => {
      process.env.PATH = path;
    });
    writeFileSync(join(folder, "xdg-open"), "#!/bin/sh\nexit 0\n");
    chmodSync(join(folder, "xdg-open"), 0o755);
    process.env.PATH = `${folder}:${path}`;
    const terminal = new FakeTerminal({ env: { ...server.env, DISPLAY: ":0" }, columns: 80 });
    const ended = tess(act, terminal);
    await terminal.shows(/Opened http:/);
    get(`http://127.0.0.1:${asked.port}/?code=${"c".repeat(43)}`);
    assert.equal(await ended, 0, terminal.err);
    assert.equal(asked.brought, "c".repeat(43));
  });

  it("leaves stdout to the answer and stderr to JSON with -o json", async (t) => {
    const { server, asked } = await guarded(t);
    const terminal = new FakeTerminal({ env: server.env, columns: 80 });
    const ended = tess([...act, "--no-browser", "-o", "json"], terminal);
    await terminal.shows(/waiting/);
    asked.shown = true;
    assert.equal(await ended, 0);
    assert.equal(JSON.parse(terminal.out).id, binding.id);
    const told = terminal.err.trim().split("\n");
    assert.equal(told.length, 1);
    assert.equal(JSON.parse(told[0]!).waiting.compare, "BCDF-GHJK");
  });

  it("changes nothing after Ctrl-C, or when it takes too long", async (t) => {
    const { server, asked } = await guarded(t);
    const terminal = new FakeTerminal({ env: server.env, columns: 80 });
    const ended = tess([...act, "--no-browser"], terminal);
    await terminal.shows(/waiting for the browser/);
    terminal.interrupt();
    assert.equal(await ended, 130);
    assert.match(terminal.err, /stopped: nothing was changed/);
    asked.expiresAt = new Date(Date.now() - 1);
    const late = new FakeTerminal({ env: server.env, columns: 80 });
    assert.equal(await tess([...act, "--no-browser"], late), 75);
    assert.match(late.err, /not shown in time/);
    assert.equal(server.requestsTo("bindRole").length, 2, "each was refused and not repeated");
  });

  it("is refused at once where no person sits", async (t) => {
    const { server } = await guarded(t);
    const terminal = new FakeTerminal({ env: server.env });
    assert.equal(await tess(act, terminal), 77);
    assert.match(terminal.err, /run it in a terminal/);
    assert.equal(server.requestsTo("beginStepUp").length, 0);
  });
});
