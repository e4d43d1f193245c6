import { spawn } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/**
 * Stands in for `nvidia-cuda-mps-control`: a daemon in the background with a control socket, commands on standard input,
 * and, in place of a CUDA program, `client MIB TOKEN FILE` that allocates, and faults when the file is there.
 */
const [role = "", ...words] = process.argv.slice(2);
const pipe = process.env.CUDA_MPS_PIPE_DIRECTORY ?? "";
const control = join(pipe, "control");

switch (role) {
  case "-d":
    start();
    break;
  case "daemon":
    serve();
    break;
  case "client":
    use(Number(words[0]), words[1] ?? "", words[2]);
    break;
  default:
    ask();
}

function start(): void {
  if (existsSync(control)) {
    console.log("An instance of this daemon is already running");
    process.exit(1);
  }
  const daemon = spawn(process.execPath, [fileURLToPath(import.meta.url), "daemon", ...words], {
    detached: true,
    stdio: "ignore",
  });
  daemon.unref();
  const timer = setInterval(() => {
    if (!existsSync(control)) return;
    clearInterval(timer);
    process.exit(0);
  }, 5);
}

/** One line for each command that came in on standard input. */
function ask(): void {
  const socket = connect(control);
  socket.on("error", () => {
    console.error("Cannot find MPS control daemon process");
    process.exit(1);
  });
  createInterface({ input: process.stdin })
    .on("line", (line) => socket.write(`${line}\n`))
    .on("close", () => socket.write("end\n"));
  socket.on("data", (bytes) => process.stdout.write(bytes));
  socket.on("close", () => process.exit(0));
}

function use(mib: number, token: string, fault: string | undefined): void {
  const socket = connect(control);
  const own = /^0=(\d+)M$/.exec(process.env.CUDA_MPS_PINNED_DEVICE_MEM_LIMIT ?? "")?.[1];
  const failed = (text: string) => {
    console.log(text);
    process.exit(1);
  };
  socket.on("error", () => failed("CUDA error 805: MPS client failed to connect"));
  socket.on("close", () => failed("CUDA error 719: unspecified launch failure"));
  socket.write(`client ${token} ${mib} ${own ?? "-"}\n`);
  createInterface({ input: socket }).on("line", (line) => {
    if (line === "oom") return failed("CUDA error 2: out of memory");
    console.log(`allocated ${mib} MiB, ${process.env.CUDA_MPS_ACTIVE_THREAD_PERCENTAGE ?? "100"} % of threads`);
  });
  setInterval(() => {
    if (fault !== undefined && existsSync(fault)) socket.write("fault\n");
  }, 20);
}

function serve(): void {
  const clients = new Map<Socket, number>();
  let memory = Number.POSITIVE_INFINITY;
  let threads = "100.0";
  const say = (text: string) => {
    const at = new Date().toISOString().replace("T", " ").replace("Z", "");
    appendFileSync(
      join(process.env.CUDA_MPS_LOG_DIRECTORY ?? "", "server.log"),
      `[${at} Server   ${process.pid}] ${text}\n`,
    );
  };
  /** Another client than the one that faulted, as an H200 did with driver 580.159.04. */
  const blamed = (socket: Socket) => [...clients].find(([other]) => other !== socket)?.[1] ?? clients.get(socket);
  const answer = (socket: Socket, line: string): string | undefined => {
    const [name, ...rest] = line.split(" ");
    switch (name) {
      case "client": {
        const [token = "", mib, own] = rest;
        const limit = Math.min(memory, own === "-" ? Number.POSITIVE_INFINITY : Number(own));
        if (Number(mib) > limit) return "oom";
        clients.set(socket, pidWith(token));
        say(`Status of client {PID: ${clients.get(socket)}, Context ID: 1} is ACTIVE`);
        return "ok";
      }
      case "fault":
        say(`Client {PID: ${blamed(socket)}, Context ID: 1} encountered a fatal GPU error.`);
        say("Server is handling a fatal GPU error.");
        for (const each of clients.keys()) each.destroy();
        clients.clear();
        return undefined;
      case "get_default_active_thread_percentage":
        return threads;
      case "set_default_active_thread_percentage":
        threads = rest[0] ?? "";
        return threads;
      case "set_active_thread_percentage":
        threads = rest[1] ?? "";
        return threads;
      case "set_default_device_pinned_mem_limit":
        memory = Number.parseInt(rest[1] ?? "", 10);
        return undefined;
      case "set_device_pinned_mem_limit":
        memory = Number.parseInt(rest[2] ?? "", 10);
        return undefined;
      case "get_default_device_pinned_mem_limit":
        return `${memory}M`;
      case "get_server_list":
        return clients.size > 0 ? String(process.pid) : "";
      case "quit":
        rmSync(control, { force: true });
        setImmediate(() => process.exit(0));
        return undefined;
      default:
        return `Failed: unknown command ${name}`;
    }
  };
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("close", () => clients.delete(socket));
    createInterface({ input: socket }).on("line", (line) => {
      if (line === "end") return socket.end();
      const said = answer(socket, line);
      if (said !== undefined && said !== "") socket.write(`${said}\n`);
    });
  });
  writeFileSync(join(pipe, "nvidia-cuda-mps-control.pid"), String(process.pid));
  const made = join(pipe, `control.${process.pid}`);
  server.listen(made, () => {
    chmodSync(made, 0o666);
    // Under its name only once it is open to all.
    renameSync(made, control);
  });
}

/** The real server asks the kernel; here a word among its arguments tells which process a client is. */
function pidWith(token: string): number {
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      if (readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0").includes(token)) return Number(name);
    } catch {
      // It ended meanwhile.
    }
  }
  return 0;
}
