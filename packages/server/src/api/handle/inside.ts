import { type Job, refuse } from "@tessera/core";
import { type EntryAsk, EntryRefused } from "@tessera/engine";
import type { EnterBody, Entrance } from "@tessera/wire";
import { pageTokenOf } from "../../access/page-token.ts";
import { pagePortOf } from "../../flow/bind/order.ts";
import { type Denial, deny, isDenied, notFound } from "../answer/problem.ts";
import { type Api, askerOf, type Handler } from "../context.ts";
import { leaseOf, type Visit } from "../inside/visit.ts";

type InsideHandlers = { enterJob: Handler<"enterJob">; openEntrance: Handler<"openEntrance"> };

export const insideHandlers: InsideHandlers = {
  async enterJob(api, call) {
    const { target, body, principal } = call;
    if ("ended" in target) return refuse("conflict", "job", target.ended.id, "has ended", "see: tess ps --all");
    const wrong = misplaced(body);
    if (wrong !== undefined) return wrong;
    const { id } = target.live;
    const job = api.control.state.jobById.get(id);
    const visit: Visit = { principal, job: id, attempt: job?.attempt ?? 0, rank: body.rank ?? 0 };
    const needsPort = (body.how === "port" || body.how === "page") && job?.state === "running";
    const port = needsPort ? await choosePort(api, job, visit, body.port) : undefined;
    if (isDenied(port)) return port;
    // Only what the core has written down may be opened: no entry without its line in the audit.
    const done = await api.control.ask(
      {
        kind: "job.enter",
        job: id,
        rank: visit.rank,
        user: principal.user.id,
        how: body.how,
        what: whatOf(body, port),
      },
      askerOf(call),
    );
    if (isDenied(done)) return done;
    const granted = api.entrances.grant(visit, askOf(body, port));
    if (isDenied(granted)) return granted;
    const url = body.how === "page" ? api.pages.urlOf({ ...visit, port: port! }) : undefined;
    if (isDenied(url)) return url;
    return entranceOf(api, job!, granted, port, url);
  },

  openEntrance(api, { params, principal }) {
    if (!api.entrances.has(params.entrance!, principal.user.id)) return notFound("entrance");
    return deny(
      "upgrade-required",
      "This address speaks WebSocket only.",
      "Open it with tess exec, ssh or port-forward.",
    );
  },
};

/** A field that the kind of entry needs or does not take. */
function misplaced({ how, command, port, columns, rows, term }: EnterBody): Denial | undefined {
  const unused = (field: string, value: string | number) =>
    refuse("invalid", field, value, `cannot be used together with how: ${how}`, `leave ${field} out`);
  if (how === "exec" && (command === undefined || command.trim() === ""))
    return refuse("invalid", "command", command ?? null, "is missing", "give the command to run");
  if (how !== "exec" && how !== "terminal" && command !== undefined) return unused("command", command.slice(0, 100));
  if (how !== "port" && how !== "page" && port !== undefined) return unused("port", port);
  if (how === "terminal") return undefined;
  if (columns !== undefined) return unused("columns", columns);
  if (rows !== undefined) return unused("rows", rows);
  return term === undefined ? undefined : unused("term", term);
}

/** The user's usual shell, but no login shell: that would reset PATH and lose the job's. */
const shell = "if command -v bash >/dev/null 2>&1; then exec bash -i; else exec /bin/sh -i; fi";

function askOf({ how, command, columns, rows, term }: EnterBody, port: number | undefined): EntryAsk {
  if (how === "port" || how === "page") return { kind: "port", port: port! };
  if (how === "exec") return { kind: "exec", command: command! };
  const terminal = {
    columns: columns ?? 80,
    rows: rows ?? 24,
    name: term === undefined || term === "" ? "xterm" : term,
  };
  return { kind: "exec", command: command ?? shell, terminal };
}

const whatLengthMax = 2_000;

function whatOf({ how, command }: EnterBody, port: number | undefined): string {
  if (how === "exec" || how === "terminal") return (command ?? "a shell").slice(0, whatLengthMax);
  return port === undefined ? "a port" : `port ${port}`;
}

/** The port that was asked for, or the one that the job means to be visited on. Only what the job listens on. */
async function choosePort(api: Api, job: Job, visit: Visit, asked: number | undefined): Promise<number | Denial> {
  let ports: readonly number[];
  try {
    ports = await api.control.ports(leaseOf(visit));
  } catch (error) {
    if (!(error instanceof EntryRefused)) throw error;
    return deny("conflict", `The job cannot be entered: ${error.message}.`);
  }
  if (asked !== undefined) return ports.includes(asked) ? asked : notListening(job, asked, ports);
  const usual = pagePortOf(job, visit);
  if (ports.includes(usual)) return usual;
  // A notebook whose port was taken has the next free one.
  const near = ports.find((port) => port > usual && port <= usual + pagePortTries);
  if (near !== undefined && job.spec.type === "notebook") return near;
  if (ports.length === 1) return ports[0]!;
  if (ports.length === 0) return notListening(job, undefined, ports);
  const named = ports.slice(0, 20).join(", ");
  return refuse("invalid", "port", null, `is missing: the job listens on ${named}`, "name one of them");
}

/** As many as the notebook tries: see `notebookRun` of wire. */
const pagePortTries = 50;

function notListening({ id, spec: { name } }: Job, asked: number | undefined, ports: readonly number[]): Denial {
  const none = `${name} listens on no port yet`;
  const others = ports.length === 0 ? none : `it listens on ${ports.slice(0, 20).join(", ")}`;
  const detail = asked === undefined ? `${none}.` : `No process of ${name} listens on port ${asked}: ${others}.`;
  const hint = `start the server inside the job first, for instance on port $TESS_PORT; see: tess logs ${id}`;
  return deny("conflict", detail, hint, "port", asked ?? null);
}

function entranceOf(
  api: Api,
  job: Job,
  granted: { readonly id: string; readonly rank: number; readonly expiresAt: number },
  port: number | undefined,
  url: string | undefined,
): Entrance {
  const isNotebook = job.spec.type === "notebook" && port !== undefined;
  return {
    id: granted.id,
    job: job.id,
    rank: granted.rank,
    ...(port !== undefined && { port }),
    ...(isNotebook && { path: `/?token=${pageTokenOf(api.keys.serverKey, job.id)}` }),
    ...(url !== undefined && { url }),
    expiresAt: new Date(granted.expiresAt).toISOString(),
  };
}
