import { shortDuration } from "@tessera/wire/duration";
import { truncate } from "../output/width.ts";
import type { Session } from "../session.ts";
import { printable, redraws } from "../terminal.ts";

/** One line for each phase, with the time it took. */
export interface Progress {
  /** Enters a phase, or changes what is said about the one it is in. */
  phase(name: string, detail?: string): void;
  /** Leaves the phase's line as it is, so that other output can follow it. */
  rest(): void;
  /** Takes the moving line away for a line of other text; it comes back below. */
  clear(): void;
  /** Nothing is drawn afterwards. The phase it is in went wrong when `failed`. */
  end(failed?: boolean): void;
}

const frames = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";
const frameMs = 120;
const nameWidth = 9;

/** Draws on stderr: one moving line on a terminal, plain lines elsewhere. */
export function progressOf(session: Session): Progress {
  if (session.silent) return { phase() {}, rest() {}, clear() {}, end() {} };
  return redraws(session.terminal.stderr, session.terminal.env) ? movingLine(session) : plainLines(session);
}

function plainLines(session: Session): Progress {
  const startedAt = performance.now();
  let last = "";
  return {
    phase(name, detail = "") {
      const line = `${name.padEnd(nameWidth)} ${printable(detail)}`.trimEnd();
      if (line === last) return;
      last = line;
      void session.note(`[${elapsedText(performance.now() - startedAt)}] ${line}`);
    },
    rest() {},
    clear() {},
    end() {},
  };
}

function movingLine(session: Session): Progress {
  const { stderr } = session.terminal;
  const paint = session.paintNote;
  let current: { name: string; detail: string; since: number } | undefined;
  let frame = 0;
  const lineOf = (mark: string) => {
    const { name, detail, since } = current!;
    const text = `${name.padEnd(nameWidth)} ${elapsedText(performance.now() - since).padEnd(7)} ${detail}`.trimEnd();
    return `${mark} ${truncate(text, (stderr.columns || 80) - 3)}`;
  };
  const draw = () => {
    frame = (frame + 1) % frames.length;
    if (current !== undefined) void stderr.write(`\r\u001b[2K${lineOf(paint("cyan", frames[frame]!))}`);
  };
  const finish = (mark = paint("green", "✓")) => {
    if (current !== undefined) void stderr.write(`\r\u001b[2K${lineOf(mark)}\n`);
    current = undefined;
  };
  const timer = setInterval(draw, frameMs);
  let rested = "";
  return {
    phase(name, detail = "") {
      const shown = printable(detail);
      if (name === rested) return;
      rested = "";
      if (current?.name === name) current.detail = shown;
      else {
        finish();
        current = { name, detail: shown, since: performance.now() };
      }
      draw();
    },
    rest() {
      rested = current?.name ?? rested;
      finish(paint("green", "●"));
    },
    clear() {
      if (current !== undefined) void stderr.write("\r\u001b[2K");
    },
    end(failed = false) {
      clearInterval(timer);
      finish(failed ? paint("red", "✗") : undefined);
    },
  };
}

function elapsedText(ms: number): string {
  return ms < 10_000 ? `${(ms / 1_000).toFixed(1)}s` : shortDuration(ms);
}
