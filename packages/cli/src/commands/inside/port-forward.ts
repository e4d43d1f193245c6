import type { Command } from "commander";
import { exit } from "../../exit.ts";
import type { Failure } from "../../failure.ts";
import { examples } from "../../help.ts";
import type { Api } from "../../http.ts";
import { enterPort, Forward, hostOf, type PortPair, parsePorts } from "../../inside/forward.ts";
import { findMember, type JobMember } from "../../inside/member.ts";
import type { Session } from "../../session.ts";

export function define(command: Command, session: Session): void {
  command
    .description(
      "Listens on ports of this machine, for this machine alone, and leads every connection to ports that processes of\n" +
        "the job listen on. Goes on until Ctrl-C or the end of the job.",
    )
    .argument("<job>", "name or id; JOB.RANK for a member of a gang")
    .argument("<port...>", "PORT, or HERE:PORT for another number here; :PORT takes any free one");
  examples(command, [
    "tess port-forward tensorboard 6006",
    "tess port-forward serve 8080:80 9090",
    "tess port-forward llama-ft.1 :29500",
  ]);
  command.action(async (name: string, ports: string[]) => {
    const pairs = ports.map(parsePorts);
    const api = await session.api();
    await forwardUntilLeft(session, api, await findMember(api, name), pairs);
  });
}

/** Forwards until Ctrl-C or until it cannot go on; `ready` is told the ports here. */
export async function forwardUntilLeft(
  session: Session,
  api: Api,
  member: JobMember,
  pairs: readonly PortPair[],
  ready: (locals: readonly number[]) => Promise<void> = async () => {},
): Promise<void> {
  const forwards: Forward[] = [];
  let left: () => void = () => {};
  let failed: (failure: Failure) => void = () => {};
  const over = new Promise<void>((resolve, reject) => {
    left = resolve;
    failed = reject;
  });
  over.catch(() => {}); // awaited below, unless opening fails first
  const release = session.terminal.onInterrupt(() => {
    session.exitCode = exit.interrupted;
    left();
  });
  const gone = watchEnd(api, member, failed);
  try {
    for (const pair of pairs) {
      const { id } = await enterPort(api, member, pair.remote);
      const forward = await Forward.open(session, api, member, pair, id, failed);
      forwards.push(forward);
      await session.print(
        `http://${hostOf(member.job.name)}:${forward.port} -> ${member.job.name} port ${pair.remote}\n`,
      );
    }
    await ready(forwards.map(({ port }) => port));
    await over;
  } finally {
    gone.abort();
    release();
    for (const forward of forwards) forward.close();
  }
}

/** A forward that nobody uses must still notice that its job is over. */
function watchEnd(api: Api, { job }: JobMember, failed: (failure: Failure) => void): AbortController {
  const gone = new AbortController();
  void (async () => {
    const { followJob } = await import("../../job/follow.ts");
    const until = ({ state, attempt }: { state: string; attempt: number }) =>
      state === "waiting" || attempt !== job.attempt;
    const last = await followJob(api, job, { signal: gone.signal, until });
    if (last === undefined) return;
    const { notFoundFailure } = await import("../../failure.ts");
    failed(notFoundFailure(`${job.name} ${last.state === "ended" ? "has ended" : "is not running any more"}`));
  })().catch(() => {}); // the connections say it as well
  return gone;
}
