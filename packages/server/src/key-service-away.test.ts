import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { ReferenceKeyService } from "./testing/key-service.ts";

const program = fileURLToPath(new URL("./main.js", import.meta.url));

/** A server of its own, with jobs that are processes of this machine and its master key in a service. */
class Served {
  readonly data = mkdtempSync(join(tmpdir(), "tessera-away-"));
  said = "";
  readonly #service: ReferenceKeyService;
  #child: ChildProcess | undefined;
  #url = "";

  constructor(service: ReferenceKeyService) {
    this.#service = service;
  }

  async start(): Promise<void> {
    const tokenFile = join(this.data, "service.token");
    writeFileSync(tokenFile, this.#service.token, { mode: 0o600 });
    const service = ["--key-service", this.#service.url, "--key-service-token", tokenFile];
    const args = ["--data", this.data, "--port", "0", "--virtual", "1x4:H100", "--free-space-min", "1", ...service];
    const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "ignore", "pipe"] });
    this.#child = child;
    this.said = "";
    child.stderr.on("data", (part) => {
      this.said += part;
    });
    const over = once(child, "exit");
    while (!this.said.includes("ready at")) {
      if ((await Promise.race([sleep(50), over])) !== undefined) throw new Error(this.said);
    }
    this.#url = /ready at (\S+) /.exec(this.said)![1]!;
  }

  async stop(): Promise<void> {
    if (this.#child === undefined || this.#child.exitCode !== null) return;
    this.#child.kill("SIGTERM");
    await once(this.#child, "exit");
  }

  async call(method: string, path: string, body?: object) {
    const token = readFileSync(join(this.data, "owner.token"), "utf8").trim();
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const answer = await fetch(`${this.#url}${path}`, { method, headers, body: body && JSON.stringify(body) });
    const text = await answer.text();
    return { status: answer.status, text };
  }

  setSecret = (name: string) => this.call("PUT", `/v1/accounts/local/secrets/${name}`, { value: "s3cret" });

  async submit(name: string, run: string, secrets: readonly string[] = []): Promise<string> {
    const spec = { name, run, project: "local", gpus: 1, ...(secrets.length > 0 && { secrets }) };
    const { status, text } = await this.call("POST", "/v1/jobs", spec);
    assert.equal(status, 201, text);
    return JSON.parse(text).id;
  }

  logOf = (job: string) => this.call("GET", `/v1/jobs/${job}/logs`);
  stateOf = async (job: string): Promise<string> => JSON.parse((await this.call("GET", `/v1/jobs/${job}`)).text).state;
}

async function until(what: string, look: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await look()); tries++) {
    assert.ok(tries < 600, `never: ${what}`);
    await sleep(50);
  }
}

describe("a key service that is away", () => {
  let service: ReferenceKeyService;
  let server: Served;
  let ticking: string;
  after(async () => {
    await server.call("POST", `/v1/jobs/${ticking}/cancel`, { force: true });
    await until("the job is over", async () => (await server.stateOf(ticking)) === "ended");
    await server.stop();
    service.close();
    rmSync(server.data, { recursive: true, force: true });
  });

  const linesOf = async (job: string) => (await server.logOf(job)).text.split("tick").length;
  const grows = async () => {
    const before = await linesOf(ticking);
    await until("its log grows", async () => (await linesOf(ticking)) > before);
  };

  it("refuses new secrets by name; jobs and their logs go on, also jobs that begin now", async () => {
    service = await ReferenceKeyService.open();
    server = new Served(service);
    await server.start();
    assert.equal((await server.setSecret("TOKEN")).status, 204);
    ticking = await server.submit("ticking", "while true; do echo tick; sleep 0.2; done", ["TOKEN"]);
    await until("it runs", async () => (await linesOf(ticking)) > 2);
    service.away = true;
    const refused = await server.setSecret("OTHER");
    assert.equal(refused.status, 503, refused.text);
    assert.match(JSON.parse(refused.text).detail, /^The key service http.*cannot be used: it answered 503 to current/);
    assert.doesNotMatch(refused.text, new RegExp(service.token));
    await grows();
    const quick = await server.submit("quick", 'test "$TOKEN" = s3cret && echo got it', ["TOKEN"]);
    await until("it ends", async () => (await server.stateOf(quick)) === "ended");
    assert.match((await server.logOf(quick)).text, /got it/);
  });

  it("does not keep a server from starting: running jobs are taken over, new ones wait, sealed things say why", async () => {
    await server.stop();
    await server.start();
    assert.match(
      server.said,
      /key service http.* cannot be used: it answered 503 to unwrap.*jobs that need secrets wait/,
    );
    assert.equal(await server.stateOf(ticking), "running");
    assert.match((await server.logOf(ticking)).text, /this part of the log cannot be read: the key service http/);
    assert.equal((await server.setSecret("OTHER")).status, 503);
    const waits = await server.submit("waits", 'test "$TOKEN" = s3cret && echo got it', ["TOKEN"]);
    await until("it was tried", async () => server.said.includes("trying again"));
    assert.notEqual(await server.stateOf(waits), "ended");
    service.away = false;
    await until("it ran", async () => (await server.stateOf(waits)) === "ended");
    assert.match((await server.logOf(waits)).text, /got it/);
    await grows();
    assert.equal((await server.setSecret("OTHER")).status, 204);
  });
});
