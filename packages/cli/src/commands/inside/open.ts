import type { Command } from "commander";
import { showInBrowser } from "../../browser/show.ts";
import { examples } from "../../help.ts";
import type { Api } from "../../http.ts";
import { enterPort, hostOf, parsePorts } from "../../inside/forward.ts";
import { findMember, type JobMember } from "../../inside/member.ts";
import type { Session } from "../../session.ts";
import { forwardUntilLeft } from "./port-forward.ts";

export function define(command: Command, session: Session): void {
  command
    .description(
      "Opens the console in a browser, signed in: by a link that works once and for some minutes.\n" +
        "With a job: opens the page that the running job serves, and forwards its port until Ctrl-C. Without a port it\n" +
        "takes $TESS_PORT of the job, or the only port that the job listens on.",
    )
    .argument("[job]", "name or id; JOB.RANK for a member of a gang")
    .argument("[port]", "a port that the job listens on");
  examples(command, ["tess open", "tess open notebook", "tess open tensorboard 6006"]);
  command.action(async (name: string | undefined, port: string | undefined) => {
    if (name === undefined) return openConsole(session);
    const remote = port === undefined ? undefined : parsePorts(port).remote;
    const api = await session.api();
    await openPage(session, api, await findMember(api, name), remote);
  });
}

async function openConsole(session: Session): Promise<void> {
  const api = await session.api();
  const { path } = await api.call("linkSession");
  const url = `${api.server.replace(/\/+$/, "")}${path}`;
  const shown = await showInBrowser(session, url);
  await session.print(`${shown ? "Opened" : "Open"} ${url}\n`);
}

/** Forwards the page of a job and shows it. */
export async function openPage(session: Session, api: Api, member: JobMember, asked?: number): Promise<void> {
  const { port, path = "/" } = await enterPort(api, member, asked);
  await forwardUntilLeft(session, api, member, [{ local: 0, remote: port! }], async ([local]) => {
    const url = `http://${hostOf(member.job.name)}:${local}${path}`;
    const shown = await showInBrowser(session, url);
    await session.print(`${shown ? "Opened" : "Open"} ${url}\n`);
    await session.note(`Ctrl-C leaves; ${member.job.name} goes on.`);
  });
}
