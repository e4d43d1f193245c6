import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type Entry, type EntryAsk, type EntryEnd, EntryRefused, type TerminalSize } from "@tessera/engine";
import type { ApiClient } from "../api/client.ts";
import { ApiError } from "../api/error.ts";
import type { Pod } from "../api/types.ts";
import { memberContainer } from "../names.ts";
import { type ExecAsk, type ExecStream, openExec } from "./exec-stream.ts";
import { entryVariable, folders } from "./parts.ts";

type CommandAsk = Extract<EntryAsk, { kind: "exec" }>;

/** How long the processes of an entry that was closed may take to be found and ended. */
const endMsMax = 5_000;

/** A command in a member as the member, whose processes end with it. */
export async function openCommand(client: ApiClient, pod: Pod, { command, terminal }: CommandAsk): Promise<Entry> {
  const name = randomBytes(8).toString("hex");
  const stream = await refusing(openExec(client, pod, commandAsk(name, command, terminal)));
  if (terminal !== undefined) stream.resize(terminal);
  return new MemberEntry(stream, async () => {
    const ending = await openExec(client, pod, { container: memberContainer, command: endCommand(name) });
    ending.output.resume();
    ending.errors.resume();
    await Promise.race([ending.ended, sleep(endMsMax, undefined, { ref: false })]);
    ending.close();
  });
}

function commandAsk(name: string, command: string, terminal: CommandAsk["terminal"]): ExecAsk {
  const before = [
    `export ${entryVariable}=${name}`,
    ...(terminal === undefined
      ? []
      : ['export TERM="$2"', `stty rows ${terminal.rows} cols ${terminal.columns} 2>/dev/null`]),
    `cd ${folders.work} 2>/dev/null`,
    'exec /bin/sh -c "$1"',
  ];
  const script = ["/bin/sh", "-c", before.join("\n"), "tess", command];
  return {
    container: memberContainer,
    command: terminal === undefined ? script : [...script, terminal.name],
    terminal: terminal !== undefined,
  };
}

/** Ends what has this entry in its environment: half a second to hear of it, then for sure. */
function endCommand(name: string): readonly string[] {
  const script = `for signal in HUP HUP KILL KILL; do
  found=
  for each in /proc/[0-9]*; do
    tr '\\0' '\\n' <"$each/environ" | grep -qx '${entryVariable}=${name}' || continue
    found=1
    kill "-$signal" "\${each#/proc/}"
  done 2>/dev/null
  [ -n "$found" ] || exit 0
  sleep 0.25 || sleep 1
done`;
  return ["/bin/sh", "-c", script];
}

/** Nothing that was started through it is left when it has ended. */
class MemberEntry implements Entry {
  readonly #stream: ExecStream;
  readonly ended: Promise<EntryEnd>;

  constructor(stream: ExecStream, endProcesses: () => Promise<void>) {
    this.#stream = stream;
    this.ended = stream.ended.then(async (end) => {
      // Without the container, nothing is left of it either.
      await endProcesses().catch(() => {});
      return end;
    });
  }

  get input() {
    return this.#stream.input;
  }

  get output() {
    return this.#stream.output;
  }

  get errors() {
    return this.#stream.errors;
  }

  resize(size: TerminalSize): void {
    this.#stream.resize(size);
  }

  close(): void {
    this.#stream.close();
  }
}

/** What the cluster does not do is a refusal for the one who asked. */
export async function refusing<Result>(opening: Promise<Result>): Promise<Result> {
  try {
    return await opening;
  } catch (error) {
    if (error instanceof ApiError) throw new EntryRefused(`the cluster does not let anyone in: ${error.message}`);
    throw error;
  }
}
