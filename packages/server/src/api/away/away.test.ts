import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { EventStream } from "../../testing/event-stream.ts";

const program = fileURLToPath(new URL("../../main.js", import.meta.url));

interface Shown {
  readonly id: string;
  readonly account: string;
  readonly revision: string;
  readonly items: readonly Shown[];
}

describe("answers that another thread gives", () => {
  const data = mkdtempSync(join(tmpdir(), "tessera-away-"));
  let child: ChildProcess;
  let url = "";
  let token = "";

  before(async () => {
    const args = [program, "--data", data, "--port", "0", "--simulated", "300x8:H100", "--free-space-min", "0"];
    child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "pipe"] });
    url = await new Promise((resolve, reject) => {
      const said: string[] = [];
      child.once("exit", () => reject(new Error(said.join("\n"))));
      createInterface(child.stderr!).on("line", (line) => {
        said.push(line);
        const found = /ready at (http:\S+)/.exec(line)?.[1];
        if (found !== undefined) resolve(found);
      });
    });
    token = readFileSync(join(data, "owner.token"), "utf8").trim();
  });
  after(async () => {
    child.kill("SIGTERM");
    await new Promise((resolve) => child.once("exit", resolve));
    rmSync(data, { recursive: true, force: true });
  });

  const ask = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, ...(body && { "content-type": "application/json" }) };
    const answer = await fetch(`${url}/v1${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const json = (await answer.json()) as Shown;
    return { status: answer.status, etag: answer.headers.get("etag"), json };
  };

  it("hold what was answered just before, and what each of them changes", async () => {
    for (let i = 0; i < 3; i++) {
      const made = await ask("POST", "/jobs", { project: "local", run: "true", gpus: 1, name: `run-${i}` });
      assert.equal(made.status, 201);
      const { json } = await ask("GET", "/jobs?state=all");
      const ids = json.items.map(({ id }) => id);
      assert.ok(ids.includes(made.json.id), "a fleet of this size is listed on the other thread");
    }
    const budget = await ask("PUT", "/accounts/local/budget", { limitMicros: "5000000" });
    assert.equal(budget.status, 200, JSON.stringify(budget.json));
    assert.equal(budget.etag, `"${budget.json.revision}"`);
    const { json } = await ask("GET", "/budgets");
    assert.deepEqual(
      json.items.map(({ account }) => account),
      ["local"],
    );
  });

  it("begin a list that is watched", async () => {
    const stream = await EventStream.open(`${url}/v1/jobs?state=all&text=run-1&limit=2`, token);
    const { event, data } = (await stream.next())!;
    assert.deepEqual([event, data.items.map(({ name }: { name: string }) => name)], ["sync", ["run-1"]]);
    const made = await ask("POST", "/jobs", { project: "local", run: "true", gpus: 1, name: "run-10" });
    await stream.until(({ event, data }) => event === "put" && data.id === made.json.id);
    stream.close();
  });

  it("are refused as they would be here", async () => {
    assert.equal((await ask("GET", "/accounts/nowhere/invoices/open")).status, 404);
    assert.equal((await ask("GET", "/costs?from=2030-01-01T00:00:00Z")).status, 422);
    assert.equal((await ask("POST", "/periods/close", { period: "2999-01" })).status, 409);
  });
});
