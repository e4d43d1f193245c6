import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { connect } from "node:net";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { serverProgram } from "../config/paths.ts";
import { Pty } from "../testing/pty.ts";
import { RealServer, type Run } from "../testing/real-server.ts";
import { runTess } from "../testing/terminal.ts";

const absent = existsSync(serverProgram("main")) ? Pty.missing : "the server is not built";
const python = existsSync("/usr/bin/python3") ? false : "jobs have no python3";

/** Sends as many megabytes as the first byte of a connection says, then reads the rest and prints how much it was. */
const sender = `
import hashlib, socket, threading
block = (hashlib.sha512(b"tessera").digest() * 16384)[:1000000]
def serve(c):
    for _ in range(c.recv(1)[0]): c.sendall(block)
    c.shutdown(socket.SHUT_WR)
    got = 0
    while part := c.recv(1 << 20): got += len(part)
    print("got", got, flush=True); c.close()
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen()
while True: threading.Thread(target=serve, args=(s.accept()[0],)).start()
`;

describe("inside a job", { skip: absent }, () => {
  const server = new RealServer();
  before(async () => {
    await server.start();
    await startJob({ name: "j", gpus: 1 });
    await startJob({ name: "gang", nodes: 2 });
  });
  after(() => server.end());

  /** Submits a job and waits until it runs. */
  async function startJob(spec: Readonly<Record<string, unknown>>, token?: string): Promise<void> {
    const { id } = await server.call("POST", "/v1/jobs", { run: "exec sleep 1000", ...spec }, token);
    for (;;) {
      const job = await server.call("GET", `/v1/jobs/${id}`);
      assert.notEqual(job.state, "ended", job.detail);
      if (job.state === "running") return;
      await sleep(50);
    }
  }

  /** Carried out in this process: starting one for each command would take most of the time. */
  const tess = (...args: string[]): Promise<Run> =>
    runTess(args, { env: server.env as Record<string, string>, cwd: server.folder });

  async function must(...args: string[]): Promise<Run> {
    const run = await tess(...args);
    assert.equal(run.code, 0, `tess ${args.join(" ")}: ${run.err}`);
    return run;
  }

  /** A user of their own, as the CLI knows one: by a token. */
  async function userWith(name: string, role: string, account: string): Promise<string[]> {
    const { id } = await server.call("POST", "/v1/users", { name, role, account });
    const { token } = await server.call("POST", "/v1/tokens", { user: id });
    return ["--server", server.url, "--token", token];
  }

  it("passes input on, keeps output and errors apart, and ends with the command's exit code", async () => {
    const child = server.spawn("exec", "j", "--", "cat; echo $TESS_JOB_NAME >&2; exit 7");
    child.stdin.end("typed\n");
    const [out, err, [code]] = await Promise.all([textOf(child.stdout), textOf(child.stderr), once(child, "exit")]);
    assert.deepEqual([out, err, code], ["typed\n", "j\n", 7]);
  });

  it("names a member of a gang by its rank", async () => {
    assert.equal((await must("exec", "gang.1", "--", "echo $RANK of $WORLD_SIZE")).out, "1 of 2\n");
    const wrong = await tess("exec", "gang.2", "--", "true");
    assert.equal(wrong.code, 65);
    assert.match(wrong.err, /rank 2 is not a member of this job[\s\S]*from 0 to 1/);
  });

  it("gives a real terminal: size, resize, Ctrl-C, exit code, and the person's own terminal back", async () => {
    // A shell around it, so that the state of the terminal after its end can be seen.
    const pty = new Pty(server, "ssh j; echo left with $?; stty -a", { columns: 90, rows: 31 });
    await pty.shows(/\$ $/);
    pty.type("stty size; echo $TERM; tty\r");
    await pty.shows(/31 90\s+xterm-256color\s+\/dev\/pts\/\d+/);
    pty.resize(120, 40);
    await sleep(200);
    pty.type("stty size\r");
    await pty.shows(/40 120/);
    pty.type("sleep 1000\r");
    await sleep(300);
    pty.type("\u0003");
    pty.type("echo code $?\r");
    await pty.shows(/code 130/);
    pty.type("exit 9\r");
    await pty.shows(/left with 9[\s\S]* icanon [\s\S]* echo /);
    await pty.ended;
  });

  it("leaves a terminal that does not answer with Enter ~ .", async () => {
    const pty = new Pty(server, "exec -t j -- 'stty -isig; exec sleep 1000'; echo left with $?");
    await sleep(1_500);
    pty.type("\r~.");
    await pty.shows(/left with 130/);
    await pty.ended;
  });

  it("is for the job's user and administrators only, and recorded", async () => {
    for (const path of ["acme", "bolt"]) await server.call("POST", "/v1/accounts", { path });
    const ana = await userWith("ana", "member", "acme");
    const [reader, colleague, stranger] = [
      await userWith("rea", "viewer", "acme"),
      await userWith("cor", "member", "acme"),
      await userWith("bob", "tenant-admin", "bolt"),
    ];
    const boss = await userWith("tia", "tenant-admin", "acme");
    await startJob({ name: "hers", project: "acme" }, ana.at(-1));
    const tries = (who: string[]) => tess(...who, "exec", "hers", "--", "echo", "in-her-job");
    const all = await Promise.all([ana, boss, reader, colleague, stranger].map(tries));
    assert.deepEqual(
      all.map(({ code, out }) => [code, out]),
      [
        [0, "in-her-job\n"],
        [0, "in-her-job\n"],
        [77, ""],
        [77, ""],
        [66, ""],
      ],
    );
    const forwards = await Promise.all([reader, stranger].map((who) => tess(...who, "port-forward", "hers", "8000")));
    assert.deepEqual(
      forwards.map(({ code }) => code),
      [77, 66],
    );
    const { items } = await server.call("GET", "/v1/audit");
    const entered = items.filter(
      ({ action, account, outcome }: Record<string, string>) =>
        action === "job.enter" && account === "acme" && outcome === "ok",
    );
    assert.deepEqual(
      entered.map(({ detail }: Record<string, string>) => detail),
      ["exec rank 0: echo in-her-job", "exec rank 0: echo in-her-job"],
    );
  });

  it("forwards 100 MB unchanged, in both directions, and no port that is not the job's", { skip: python }, async () => {
    await startJob({ name: "send", run: `exec python3 -c '${sender}'` });
    const own = await tess("port-forward", "j", new URL(server.url).port);
    assert.equal(own.code, 73);
    assert.match(own.err, /No process of j listens on port \d+: j listens on no port yet/);

    const port = await listensOn("send");
    const child = server.spawn("port-forward", "send", `:${port}`);
    const [line] = await once(child.stdout.setEncoding("utf8"), "data");
    const local = Number(/http:\/\/send\.localhost:(\d+)/.exec(String(line))?.[1]);
    const foreign = await tess("port-forward", "j", String(port));
    assert.equal(foreign.code, 73, "the port of another job");

    const sizes = [100, 1, 0];
    const received = await Promise.all(sizes.map((megabytes) => exchange(local, megabytes)));
    const block = Buffer.alloc(1_000_000, createHash("sha512").update("tessera").digest());
    assert.deepEqual(
      received,
      sizes.map((megabytes) => {
        const hash = createHash("sha256");
        for (let i = 0; i < megabytes; i++) hash.update(block);
        return hash.digest("hex");
      }),
    );
    while ((await must("logs", "send")).out !== "got 5000000\n".repeat(3)) await sleep(100);
    child.kill("SIGINT");
    await once(child, "exit");
  });

  async function listensOn(name: string): Promise<number> {
    for (;;) {
      try {
        return (await server.call("POST", `/v1/jobs/${name}/enter`, { how: "port" })).port;
      } catch (error) {
        assert.match(String(error), /listens on no port yet/);
        await sleep(100);
      }
    }
  }

  it("carries 20 connections at once", async () => {
    const runs = await Promise.all(
      Array.from({ length: 20 }, (_, i) => tess("exec", "j", "--", `sleep 0.5; echo ${i}`)),
    );
    assert.deepEqual(
      runs.map(({ out }) => out),
      Array.from({ length: 20 }, (_, i) => `${i}\n`),
    );
  });

  it("ends with the job, and says so", async () => {
    await startJob({ name: "short" });
    const open = server.spawn("exec", "short", "--", "trap '' TERM; echo in; while :; do sleep 0.1; done");
    await once(open.stdout, "data");
    const said = textOf(open.stderr);
    const left = once(open, "exit");
    await server.call("POST", "/v1/jobs/short/cancel", {});
    const [code] = await left;
    assert.equal(code, 69);
    assert.match(await said, /the job has ended/);
  });

  it("says that the server restarts, and the job goes on", async () => {
    const open = server.spawn("exec", "j", "--", "echo in; exec sleep 1000");
    await once(open.stdout, "data");
    const said = textOf(open.stderr);
    const left = once(open, "exit");
    await server.stop("SIGTERM");
    const [code] = await left;
    assert.equal(code, 69);
    assert.match(await said, /the server stops or restarts[\s\S]*the job goes on/);
    await server.start();
    assert.equal((await must("exec", "j", "--", "pgrep -x sleep | wc -l")).out, "1\n", "what it started is gone");
  });

  it("starts a job that is a shell, and ends it with the shell", async () => {
    const pty = new Pty(server, "shell --gpus 1 --name sh; echo left with $?");
    await pty.shows(/\$ $/);
    pty.type("echo $TESS_GPUS-$TESS_JOB_NAME\r");
    await pty.shows(/1-sh/);
    pty.type("exit 4\r");
    await pty.shows(/left with 4/);
    await pty.ended;
    assert.equal((await tess("wait", "sh")).code, 0);
  });

  it("says what is missing for a notebook", async () => {
    const { code, err } = await tess("notebook", "--name", "nb");
    assert.equal(code, 127, err);
    assert.match(err, /There is no JupyterLab in this job: jupyter-lab[\s\S]*pip install jupyterlab/);
  });
});

async function textOf(stream: NodeJS.ReadableStream): Promise<string> {
  let text = "";
  for await (const part of stream) text += part;
  return text;
}

/** Reads all that the other side sends, and only then sends 5 MB and ends: each direction ends by itself. */
async function exchange(port: number, megabytes: number): Promise<string> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  socket.write(Buffer.of(megabytes));
  const hash = createHash("sha256");
  for await (const part of socket.iterator({ destroyOnReturn: false })) hash.update(part as Buffer);
  socket.end(Buffer.alloc(5_000_000));
  await once(socket, "close");
  return hash.digest("hex");
}
