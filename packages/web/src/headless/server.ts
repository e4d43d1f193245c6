import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { AnswerOf, BodyOf, QueryOf, RouteId } from "@tessera/wire";
import { addresses } from "@tessera/wire/addresses";

const program = fileURLToPath(new URL("../../../server/dist/main.js", import.meta.url));

const slowClock = new URL("./shifted-clock.js", import.meta.url).href;

/** A control plane of its own in a folder of its own, as `npm start` would run it. */
export class OwnServer {
  readonly #args: readonly string[];
  #made: string | undefined;
  #given: string | undefined;
  #child: ChildProcess | undefined;
  #port = "0";
  url = "";

  constructor(...args: string[]) {
    this.#args = args;
  }

  /** On a data folder that was there before, and stays. */
  static on(data: string, ...args: string[]): OwnServer {
    const server = new OwnServer(...args);
    server.#given = data;
    return server;
  }

  get data(): string {
    if (this.#given !== undefined) return this.#given;
    this.#made ??= mkdtempSync(join(tmpdir(), "tessera-console-"));
    return this.#made;
  }

  /** Starts it, or starts it again where it was before; `hoursAgo` sets its clock back. */
  async start(hoursAgo?: number): Promise<void> {
    // Else it would go on from the time at which it was left.
    if (hoursAgo !== undefined) rmSync(join(this.data, "clock.json"), { force: true });
    const slow = hoursAgo === undefined ? [] : ["--import", slowClock];
    const args = [...slow, program, "--port", this.#port, "--free-space-min", "1", ...this.#args];
    const env = { ...process.env, TESSERA_DATA: this.data, TESSERA_TEST_HOURS_AGO: String(hoursAgo ?? 0) };
    const child = spawn(process.execPath, args, { env, stdio: ["ignore", "ignore", "pipe"] });
    this.#child = child;
    let said = "";
    // Read on to the end: a server whose errors nobody takes cannot say another word, and ends.
    child.stderr.on("data", (part) => {
      said += part;
    });
    const exited = once(child, "exit");
    while (!said.includes("ready at") && child.exitCode === null)
      await Promise.race([once(child.stderr, "data"), exited]).catch(() => {});
    const [, url, port] = /ready at (http:\/\/[^ ]+:(\d+))/.exec(said) ?? [];
    if (url === undefined) throw new Error(`the server did not start: ${said}`);
    this.url = url;
    this.#port = port!;
  }

  get ownerToken(): string {
    return readFileSync(join(this.data, "owner.token"), "utf8").trim();
  }

  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, "exit");
  }

  async end(): Promise<void> {
    await this.stop();
    if (this.#made !== undefined) rmSync(this.#made, { recursive: true, force: true });
  }

  /** A request with a token; throws on a refusal. */
  async call<Id extends RouteId>(
    id: Id,
    ask: { at?: Record<string, string>; query?: QueryOf<Id>; body?: BodyOf<Id>; token?: string } = {},
  ): Promise<AnswerOf<Id>> {
    const [method, path] = addresses[id].split(" ") as [string, string];
    const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(ask.at?.[name] ?? ""));
    const query = new URLSearchParams((ask.query ?? {}) as Record<string, string>).toString();
    const response = await fetch(`${this.url}${filled}${query === "" ? "" : `?${query}`}`, {
      method,
      headers: {
        authorization: `Bearer ${ask.token ?? this.ownerToken}`,
        ...(ask.body !== undefined && { "content-type": "application/json" }),
      },
      ...(ask.body !== undefined && { body: JSON.stringify(ask.body) }),
    });
    if (!response.ok) throw new Error(`${id}: ${response.status} ${await response.text()}`);
    return (response.status === 204 ? {} : await response.json()) as AnswerOf<Id>;
  }
}
