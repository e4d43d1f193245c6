import { setTimeout as sleep } from "node:timers/promises";
import type { AnswerOf } from "@tessera/wire";
import { shortDuration } from "@tessera/wire/duration";
import { exit } from "../exit.ts";
import { Failure } from "../failure.ts";
import type { Api } from "../http.ts";
import { progressOf } from "../job/progress.ts";
import type { Session } from "../session.ts";
import { type Landing, newSecret, openLanding, pageOf } from "./ask.ts";
import { hasScreen, openBrowser } from "./show.ts";

type Begun = AnswerOf<"beginStepUp">;

/**
 * Lets the person at the terminal show a second factor in a browser, for a request that was refused without one. Resolves
 * once it was shown; from then on it counts for the token of this program.
 */
export async function showFactor(session: Session, api: Api, refused: Failure): Promise<void> {
  if (!session.terminal.stderr.isTTY && session.options.browser !== false) throw nobodyThere(refused);
  const { verifier, challenge } = newSecret();
  const begin = (port?: number) =>
    api.call("beginStepUp", {
      body: { request: refused.requestId ?? "", challenge, ...(port !== undefined && { port }) },
    });
  const interrupted = new AbortController();
  const release = session.terminal.onInterrupt(() => interrupted.abort());
  const landing = hasScreen(session) ? await openLanding("It goes on. Go back to the terminal.") : undefined;
  const progress = progressOf(session);
  let failed = true;
  try {
    let begun = await begin(landing?.port);
    const isHere = landing !== undefined && (await openBrowser(pageOf(api, begun.path)));
    // What was begun for a browser on this machine cannot be finished by another one.
    if (landing !== undefined && !isHere) begun = await begin();
    await tell(session, pageOf(api, begun.path), begun, isHere);
    const wait: Wait = { begun, verifier, signal: interrupted.signal, tick: (left) => progress.phase("factor", left) };
    await (isHere ? untilBrought(api, wait, landing) : untilShown(api, wait));
    failed = false;
  } catch (error) {
    throw interrupted.signal.aborted ? stopped() : error;
  } finally {
    progress.end(failed);
    landing?.close();
    release();
  }
}

interface Wait {
  readonly begun: Begun;
  readonly verifier: string;
  readonly signal: AbortSignal;
  readonly tick: (left: string) => void;
}

async function tell(session: Session, url: string, { code, expiresAt }: Begun, opened: boolean): Promise<void> {
  if (session.silent) {
    const told = { code: "step-up-required", url, compare: code, expiresAt };
    return session.terminal.stderr.write(`${JSON.stringify({ waiting: told })}\n`);
  }
  const lead = opened ? `Opened ${url}` : `Open ${url}`;
  await session.note(
    `This needs your second factor. ${lead}\nand compare the code: ${session.paintNote("bold", code)}`,
  );
}

/** Seconds go by until the browser was there; what it brought is proof that it is on this machine. */
async function untilBrought(api: Api, wait: Wait, landing: Landing): Promise<void> {
  let brought: string | undefined;
  void landing.code.then((code) => {
    brought = code;
  });
  for await (const _second of secondsOf(wait, 1)) {
    if (brought === undefined) continue;
    if (await isShown(api, wait, brought)) return;
  }
  throw tooLate();
}

async function untilShown(api: Api, wait: Wait): Promise<void> {
  for await (const _second of secondsOf(wait, wait.begun.intervalSeconds)) if (await isShown(api, wait)) return;
  throw tooLate();
}

async function isShown(api: Api, { begun: { code: at }, verifier, signal }: Wait, code?: string): Promise<boolean> {
  const body = { verifier, ...(code !== undefined && { code }) };
  return (await api.call("takeStepUp", { at: { code: at }, body, signal })).shown;
}

async function* secondsOf({ begun: { expiresAt }, signal, tick }: Wait, every: number): AsyncGenerator<void> {
  for (let leftMs = 0; ; ) {
    leftMs = Date.parse(expiresAt) - Date.now();
    if (leftMs <= 0) return;
    tick(`waiting for the browser, ${shortDuration(Math.ceil(leftMs / 60_000) * 60_000)} at most; Ctrl-C stops`);
    await sleep(every * 1_000, undefined, { signal });
    yield;
  }
}

function nobodyThere({ exitCode, code, message, requestId }: Failure): Failure {
  const hint = "run it in a terminal, which opens a browser, or add --no-browser; programs use a token of their own";
  return new Failure(exitCode, { code, message, hint, ...(requestId !== undefined && { requestId }) });
}

function stopped(): Failure {
  return new Failure(exit.interrupted, { code: "interrupted", message: "stopped: nothing was changed" });
}

function tooLate(): Failure {
  const message = "the second factor was not shown in time: nothing was changed";
  return new Failure(exit.tryLater, { code: "not-shown-in-time", message, hint: "repeat the command" });
}
