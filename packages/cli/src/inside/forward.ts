import { createServer, type Server, type Socket } from "node:net";
import { exit } from "../exit.ts";
import { Failure, usageFailure } from "../failure.ts";
import type { Api } from "../http.ts";
import type { Session } from "../session.ts";
import type { JobMember } from "./member.ts";
import { Wire } from "./wire.ts";

/** A port of this machine and the port of the job that it leads to; 0 = any free one here. */
export interface PortPair {
  readonly local: number;
  readonly remote: number;
}

/** `8888`, `8080:8888`, or `:8888` for any free port here. */
export function parsePorts(text: string): PortPair {
  const [, first, , second] = /^(\d{0,5})(:(\d{1,5}))?$/.exec(text) ?? [];
  const remote = Number(second ?? first);
  const local = first === "" ? 0 : Number(first);
  if (first === undefined || !(remote >= 1 && remote <= 65_535) || local > 65_535) {
    throw usageFailure(`"${text}" is not a port`, "such as 8888, or 8080:8888 for port 8080 here and 8888 in the job");
  }
  return { local, remote };
}

/** A name that browsers take for this machine, one for each job: their cookies stay apart, and the console's away. */
export function hostOf(jobName: string): string {
  const label = jobName
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
  return label === "" ? "job.localhost" : `${label.slice(0, 63)}.localhost`;
}

/** Listens on this machine alone and leads each connection to a port of the job. */
export class Forward {
  readonly #session: Session;
  readonly #api: Api;
  readonly #member: JobMember;
  readonly #remote: number;
  readonly #server: Server;
  readonly #over: (failure: Failure) => void;
  #entrance: Promise<string>;

  private constructor(
    session: Session,
    api: Api,
    member: JobMember,
    remote: number,
    entrance: string,
    over: (failure: Failure) => void,
  ) {
    this.#session = session;
    this.#api = api;
    this.#member = member;
    this.#remote = remote;
    this.#entrance = Promise.resolve(entrance);
    this.#over = over;
    this.#server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => void this.#lead(socket));
  }

  /** Throws where the port here is taken, or the job does not listen on its own. `over` is told when it cannot go on. */
  static async open(
    session: Session,
    api: Api,
    member: JobMember,
    ports: PortPair,
    entrance: string,
    over: (failure: Failure) => void,
  ): Promise<Forward> {
    const forward = new Forward(session, api, member, ports.remote, entrance, over);
    await new Promise<void>((resolve, reject) => {
      forward.#server.once("error", (error: NodeJS.ErrnoException) =>
        reject(
          error.code === "EADDRINUSE"
            ? new Failure(exit.conflict, {
                code: "port-taken",
                message: `port ${ports.local} of this machine is in use`,
                hint: `choose another: ${ports.local + 1}:${ports.remote}, or :${ports.remote} for any free one`,
              })
            : error,
        ),
      );
      forward.#server.listen({ host: "127.0.0.1", port: ports.local }, resolve);
    });
    return forward;
  }

  get port(): number {
    return (this.#server.address() as { readonly port: number }).port;
  }

  close(): void {
    this.#server.close();
  }

  async #lead(socket: Socket): Promise<void> {
    socket.on("error", () => {}); // its close ends the rest
    try {
      const wire = await this.#open(socket);
      let ended = false;
      socket.on("end", () => {
        ended = true;
        wire.say({ end: "input" });
      });
      // One that has ended in order may still have bytes on their way to the job.
      socket.once("close", (broke) => (broke || !ended) && wire.close());
      socket.on("data", (bytes: Buffer) => {
        socket.pause();
        void wire.send(bytes).then(() => socket.resume());
      });
      socket.resume();
      await wire.ended;
      socket.end();
    } catch (error) {
      socket.destroy();
      if (!(error instanceof Failure)) throw error;
      // A single connection may break; a job that is over, or that may not be entered any more, ends the forward.
      if (error.exitCode === exit.notFound || error.exitCode === exit.notAllowed) this.#over(error);
      else await this.#session.note(`connection to port ${this.#remote}: ${error.message}`);
    }
  }

  async #open(socket: Socket): Promise<Wire> {
    const ears = {
      output: (bytes: Uint8Array) =>
        new Promise<void>((resolve) => {
          if (socket.destroyed || socket.writableEnded || socket.write(bytes)) resolve();
          else {
            socket.once("drain", resolve);
            socket.once("close", resolve);
          }
        }),
      errors: async () => {},
      outputEnd: () => void socket.end(),
    };
    try {
      return await Wire.open(this.#api, await this.#entrance, ears);
    } catch (error) {
      // An entrance is forgotten when it was not used for long, and when the server restarts.
      if (!(error instanceof Failure) || error.exitCode !== exit.notFound) throw error;
      this.#entrance = enterPort(this.#api, this.#member, this.#remote).then(({ id }) => id);
      return Wire.open(this.#api, await this.#entrance, ears);
    }
  }
}

export function enterPort(api: Api, { job, rank }: JobMember, port?: number) {
  return api.call("enterJob", {
    at: { job: job.id },
    body: { how: "port", rank, ...(port !== undefined && { port }) },
  });
}
