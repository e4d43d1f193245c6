import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { it, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";

const program = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

function folder(t: TestContext): string {
  const made = mkdtempSync(join(tmpdir(), "tessera-history-"));
  t.after(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

/** Starts the server there and waits until it is ready; answers how to stop it. */
async function serve(env: NodeJS.ProcessEnv): Promise<() => Promise<void>> {
  const args = [program("server/dist/main.js"), "--virtual", "1x8:H100", "--port", "0"];
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "ignore", "pipe"] });
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stderr }).on("line", (line) => line.includes("ready at") && resolve());
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
  });
  return async () => {
    child.removeAllListeners("exit");
    child.kill("SIGTERM");
    await once(child, "close");
  };
}

it("[S11] an invoice of a month that was lived through is the same bytes in every process, and one flipped byte is named", async (t) => {
  const data = folder(t);
  const env = { PATH: process.env.PATH, TESSERA_DATA: data, XDG_CONFIG_HOME: data, XDG_CACHE_HOME: data, HOME: data };
  const made = execFileSync(process.execPath, [program("sim/dist/history/main.js"), "--data", data], {
    encoding: "utf8",
  });
  const { month } = JSON.parse(made) as { month: string };
  const tess = (...args: string[]): string =>
    execFileSync(process.execPath, [program("cli/dist/main.js"), ...args], { env, cwd: data, encoding: "utf8" });
  const fails = (...args: string[]): string => {
    try {
      tess(...args);
    } catch (error) {
      return (error as { stdout: string }).stdout;
    }
    throw new Error(`tess ${args.join(" ")} was to fail`);
  };

  const stop = await serve(env);
  const again = await (async () => {
    tess("invoice", "close", month);
    // The head first: the extract, which the audit notes as a row of its own, shows that it goes by it.
    const head = tess("invoice", "head", "-o", "name").trim();
    const row = /row=(\d+)/.exec(head)![1]!;
    for (const [name, args] of [
      ["invoice.json", ["show", "INV-academy-000001", "-o", "json"]],
      ["extract.json", ["extract", "INV-academy-000001", "--since", row]],
    ] as const)
      writeFileSync(join(data, name), tess("invoice", ...args));
    return head;
  })().finally(stop);

  const text = (file: string) => readFileSync(join(data, file), "utf8");
  const { text: first } = JSON.parse(text("invoice.json")) as { text: string };
  const later = await serve(env);
  await (async () => {
    const { text: second } = JSON.parse(tess("invoice", "show", "INV-academy-000001", "-o", "json")) as {
      text: string;
    };
    assert.equal(second, first);
    const kindsOf = (number: string) =>
      (JSON.parse(tess("invoice", "show", number, "-o", "json")) as { lines: { kind: string }[] }).lines.map(
        ({ kind }) => kind,
      );
    for (const kind of ["reserved", "burst", "cpu", "memory"])
      assert.ok(kindsOf("INV-academy-000001").includes(kind), kind);
    assert.ok(kindsOf("INV-atelier-000001").includes("lent"), "who lent is credited");
  })().finally(later);

  // No requests from here on: no server runs.
  const files = ["--invoice", "invoice.json", "--extract", "extract.json", "--head", again];
  assert.match(tess("invoice", "verify", "INV-academy-000001", ...files), /computed again byte for byte/);
  const extract = JSON.parse(text("extract.json")) as { entries: string[] };
  const place = extract.entries.findIndex((entry) => entry.includes('"is":"usage"'));
  const entry = extract.entries[place]!;
  const digit = entry.search(/\d(?=\d{6},)/);
  const other = entry[digit] === "1" ? "2" : "1";
  extract.entries[place] = `${entry.slice(0, digit)}${other}${entry.slice(digit + 1)}`;
  writeFileSync(join(data, "flipped.json"), JSON.stringify(extract));
  const told = fails("invoice", "verify", "INV-academy-000001", ...files.with(3, "flipped.json"));
  assert.match(told, new RegExp(`NOT SOUND.*entry ${place + 1}\\b`));
});
