import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Anchor, Instant } from "@tessera/core";
import type { HeadLine } from "@tessera/wire";
import { soundPrivates } from "../../access/private-rows.ts";
import type { Vault } from "../../access/vault.ts";
import type { PrivateWrite } from "../../store/port.ts";
import type { ControlPlane } from "../control.ts";
import type { Heads } from "./heads.ts";

/** How long the head may move before it is written again. */
const usualEveryMs = 5_000;
/** Another Tessera writes a row for each head. Two that keep each other's heads would move each other at every turn. */
const tesseraEveryMs = 60_000;
const requestMsMax = 10_000;
const closeMsMax = 2_000;

/** How far an anchor has come. */
export interface AnchorStatus {
  readonly row?: number;
  readonly at?: Instant;
  readonly failure?: string;
}

/** Where the token of an anchor is kept, encrypted. */
export async function anchorTokenRow(vault: Vault, id: string, token: string): Promise<PrivateWrite> {
  return { kind: "anchor", key: id, value: await vault.seal(id, token) };
}

/** Writes each new signed head to the anchors, beside everything else: a failure is shown, tried again, and blocks nothing. */
export class Anchors {
  readonly #control: ControlPlane;
  readonly #heads: Heads;
  readonly #vault: Vault;
  #timer: NodeJS.Timeout | undefined;
  readonly #everyMs: number;
  #wroteAt = Number.NEGATIVE_INFINITY;
  readonly #busy = new Set<string>();
  readonly #statuses = new Map<string, AnchorStatus>();

  constructor(parts: { control: ControlPlane; heads: Heads; vault: Vault; everyMs?: number }) {
    this.#everyMs = parts.everyMs ?? usualEveryMs;
    this.#control = parts.control;
    this.#heads = parts.heads;
    this.#vault = parts.vault;
    this.#heads.onSigned(() => this.#schedule());
  }

  /** Writes soon, but not more often than every few seconds. */
  #schedule(): void {
    if (this.#control.state.trail.anchors.size === 0) return;
    const waitMs = Math.max(0, this.#wroteAt + this.#everyMs - performance.now());
    this.#timer ??= setTimeout(() => void this.#write(), waitMs).unref();
  }

  /** Writes the newest head to each anchor that does not hold it and is due; what fails or is not due comes later. */
  async #write(): Promise<void> {
    const head = this.#heads.newest;
    const { anchors } = this.#control.state.trail;
    this.#wroteAt = performance.now();
    if (head !== undefined && head.row > 0)
      await Promise.all([...anchors].map(([id, anchor]) => this.#writeTo(id, anchor, head, this.#control.now())));
    this.#timer = undefined;
    const behind = [...anchors.keys()].some((id) => this.statusOf(id).row !== this.#heads.newest?.row);
    if (behind) this.#schedule();
  }

  /** How far the anchor has come since this process started. */
  statusOf(id: string): AnchorStatus {
    return this.#statuses.get(id) ?? {};
  }

  /** Writes the last head, but waits for no anchor that does not answer. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await Promise.race([this.#write(), sleep(closeMsMax)]);
    clearTimeout(this.#timer);
  }

  async #writeTo(id: string, anchor: Anchor, head: HeadLine, now: Instant): Promise<void> {
    const { row, at, failure } = this.statusOf(id);
    if (row === head.row || this.#busy.has(id)) return;
    if (anchor.kind === "tessera" && failure === undefined && at !== undefined && now - at < tesseraEveryMs) return;
    this.#busy.add(id);
    try {
      await this.#send(id, anchor, head);
      this.#statuses.set(id, { row: head.row, at: now });
    } catch (error) {
      this.#statuses.set(id, { ...this.statusOf(id), failure: reasonOf(error) });
    } finally {
      this.#busy.delete(id);
    }
  }

  async #send(id: string, { kind, to }: Anchor, { line, server }: HeadLine): Promise<void> {
    if (kind === "folder") return appendFile(join(to, `${server}.heads`), `${line}\n`, { mode: 0o644, flush: true });
    const token = await this.#tokenOf(id);
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const signal = AbortSignal.timeout(requestMsMax);
    const sent =
      kind === "http"
        ? { url: to, body: `${line}\n`, type: "text/plain" }
        : {
            url: `${to.replace(/\/$/, "")}/v1/witness`,
            body: JSON.stringify({ head: line, keys: this.#heads.keys() }),
            type: "application/json",
          };
    const request = { method: "POST", headers: { ...headers, "content-type": sent.type }, body: sent.body, signal };
    const answer = await fetch(sent.url, { ...request, redirect: "error" });
    if (!answer.ok) throw new Error(`${sent.url} answered ${answer.status}: ${(await answer.text()).slice(0, 300)}`);
    await answer.body?.cancel();
  }

  async #tokenOf(id: string): Promise<string | undefined> {
    const { reader, state } = this.#control;
    const sealed = (await soundPrivates(reader, state, "anchor", [id])).get(id);
    return sealed && this.#vault.openToken(id, sealed);
  }
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}
