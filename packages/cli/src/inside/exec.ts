import type { BodyOf } from "@tessera/wire";
import { exit } from "../exit.ts";
import { usageFailure } from "../failure.ts";
import type { Api } from "../http.ts";
import type { Session } from "../session.ts";
import type { JobMember } from "./member.ts";
import { Escape, takeTerminal } from "./raw-terminal.ts";
import { Wire } from "./wire.ts";

/** Runs a command in the job with this process's standard streams; answers its exit code. */
export async function runPiped(session: Session, api: Api, { job, rank }: JobMember, command: string): Promise<number> {
  const { terminal } = session;
  const entrance = await api.call("enterJob", { at: { job: job.id }, body: { how: "exec", rank, command } });
  const wire = await Wire.open(api, entrance.id, {
    output: (bytes) => terminal.stdout.write(bytes),
    errors: (bytes) => terminal.stderr.write(bytes),
  });
  let left = false;
  const release = terminal.onInterrupt(() => {
    left = true;
    wire.close();
  });
  void sendAll(terminal.stdin, wire);
  try {
    return await wire.ended;
  } catch (error) {
    if (left) return exit.interrupted;
    throw error;
  } finally {
    release();
    terminal.stdin.unref?.();
  }
}

async function sendAll(stdin: AsyncIterable<string | Uint8Array>, wire: Wire): Promise<void> {
  try {
    for await (const part of stdin) await wire.send(Buffer.from(part as Uint8Array));
  } catch {
    // a closed standard input is an empty one
  }
  wire.say({ end: "input" });
}

/** Runs a command, or a shell, at this terminal; answers its exit code. */
export async function runAtTerminal(
  session: Session,
  api: Api,
  { job, rank }: JobMember,
  command?: string,
): Promise<number> {
  const { terminal } = session;
  const { stdin, stdout } = terminal;
  if (stdin.isTTY !== true || !stdout.isTTY) {
    throw usageFailure(
      "this needs a terminal, and standard input or output is none",
      "for a pipe use: tess exec JOB -- command",
    );
  }
  const size = () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 });
  const body: BodyOf<"enterJob"> = {
    how: "terminal",
    rank,
    ...size(),
    ...(terminal.env.TERM !== undefined && /^[\w.+-]{1,64}$/.test(terminal.env.TERM) && { term: terminal.env.TERM }),
    ...(command !== undefined && { command }),
  };
  const entrance = await api.call("enterJob", { at: { job: job.id }, body });
  const wire = await Wire.open(api, entrance.id, {
    output: (bytes) => stdout.write(bytes),
    errors: (bytes) => terminal.stderr.write(bytes),
  });
  const taken = takeTerminal(terminal);
  const release = terminal.onResize(() => wire.say({ resize: size() }));
  const watch = new Escape();
  let left = false;
  const type = (part: Buffer) => {
    const bytes = watch.pass(Buffer.from(part));
    if (bytes === undefined) {
      left = true;
      wire.close();
      return;
    }
    if (bytes.length === 0) return;
    stdin.pause();
    void wire.send(bytes).then(() => stdin.resume());
  };
  stdin.on("data", type);
  stdin.once("end", () => wire.say({ end: "input" }));
  let broken = true;
  try {
    const code = await wire.ended;
    broken = false;
    return code;
  } catch (error) {
    if (!left) throw error;
    return exit.interrupted;
  } finally {
    stdin.off("data", type);
    stdin.pause();
    release();
    taken.restore(broken);
    if (left) await session.note(`\nLeft ${job.name}; what ran at this terminal has ended.`);
  }
}
