import { type ChildProcess, execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, createReadStream, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { Children, freePort } from "./children.ts";
import { unpackDebian } from "./debian.ts";
import { type PeerResult, sleep, Unavailable, type Work } from "./peer.ts";

const run = promisify(execFile);
const packages = ["slurmctld", "slurm-client", "munge"];
const readyMsMax = 60_000;

/**
 * Slurm's controller on loopback with a fleet of powered-down cloud nodes: jobs get their nodes and then wait for them
 * to boot, which never happens, so that only scheduling is measured. All jobs are submitted, one array per
 * team, to a partition that is down; the allocations in its log after the partition is up are counted.
 */
export async function measureSlurm(
  work: Work,
  seconds: number,
  cache: string,
  say: (text: string) => void,
): Promise<PeerResult> {
  const root = await unpackDebian(join(cache, "slurm"), packages, say);
  const slurm = new Slurm(root, work);
  try {
    await slurm.start();
    say(`slurm ${work.case}: submitting ${work.jobs} jobs`);
    await slurm.submitAll();
    const from = performance.now();
    await slurm.open();
    while (performance.now() - from < seconds * 1000 && (await slurm.allocations()) < work.jobs) await sleep(250);
    const took = (performance.now() - from) / 1000;
    const placed = await slurm.allocations();
    return {
      ...{ peer: "slurm", case: work.case, placed, seconds: Number(took.toFixed(1)) },
      perSecond: Number((placed / took).toFixed(2)),
      ran: `${await slurm.version()}, ${work.nodes} powered-down cloud nodes, sched/backfill with defer, arrays by team, its log counted`,
    };
  } finally {
    await slurm.stop();
  }
}

class Slurm {
  readonly #root: string;
  readonly #work: Work;
  readonly #env: NodeJS.ProcessEnv;
  readonly #children: Children;

  constructor(root: string, work: Work) {
    this.#root = root;
    this.#work = work;
    const libraries = ["usr/lib", "lib"].flatMap((place) => {
      const folder = join(root, place, `${arch()}-linux-gnu`);
      return [folder, join(folder, "slurm-wlm")];
    });
    const env = { ...process.env, LD_LIBRARY_PATH: libraries.join(":") };
    this.#children = new Children("slurm", env);
    this.#env = { ...env, SLURM_CONF: this.#path("slurm.conf") };
  }

  async start(): Promise<void> {
    for (const folder of ["state", "spool"]) mkdirSync(this.#path(folder));
    chmodSync(this.#children.folder, 0o755);
    writeFileSync(this.#path("munge.key"), randomBytes(128), { mode: 0o600 });
    const files = {
      socket: "munge.sock",
      "pid-file": "munge.pid",
      "log-file": "munge.log",
      "seed-file": "munge.seed",
      "key-file": "munge.key",
    };
    const options = Object.entries(files).map(([option, file]) => `--${option}=${this.#path(file)}`);
    this.#spawn("munged", ["--foreground", "--force", ...options]);
    writeFileSync(this.#path("slurm.conf"), configOf(this.#work, this.#children.folder, this.#root, await freePort()));
    writeFileSync(
      this.#path("gres.conf"),
      `AutoDetect=off\nNodeName=n[1-${this.#work.nodes}] Name=gpu Type=h100 Count=${this.#work.gpusPerNode}\n`,
    );
    const controller = this.#spawn("slurmctld", ["-D", "-c", "-f", this.#path("slurm.conf")]);
    await this.#untilReady(controller);
    // This version ignores the GPUs of slurm.conf for nodes that never registered.
    const gres = `gres=gpu:h100:${this.#work.gpusPerNode}`;
    await this.#ask("scontrol", ["update", `nodename=n[1-${this.#work.nodes}]`, gres]);
  }

  async #untilReady(controller: ChildProcess): Promise<void> {
    for (const giveUpAt = performance.now() + readyMsMax; ; await sleep(500)) {
      try {
        const { stdout } = await this.#ask("sinfo", ["-h", "-o", "%D %t"]);
        const idle = stdout
          .split("\n")
          .reduce((sum, line) => sum + (/ idle/.test(line) ? Number.parseInt(line, 10) : 0), 0);
        if (idle >= this.#work.nodes) return;
      } catch {
        // The log does not exist yet.
      }
      if (controller.exitCode !== null || performance.now() > giveUpAt) {
        const said = ["slurmctld.out", "munged.out"].map((file) => this.#children.lastWords(file)).join("; ");
        throw new Unavailable(`slurmctld does not come up: ${said}`);
      }
    }
  }

  async submitAll(): Promise<void> {
    const { jobs, teams, nodesEach, gpusEach } = this.#work;
    const each = Math.ceil(jobs / teams);
    for (let team = 0, left = jobs; left > 0; team++) {
      const size = Math.min(each, left);
      left -= size;
      const shape = ["-N", String(nodesEach), "--ntasks-per-node=1", "-c", "1", `--gres=gpu:${gpusEach}`, "--mem=1"];
      await this.#ask("sbatch", [
        ...["-a", `0-${size - 1}`, "-A", `team${team}`, "-o", "/dev/null", "-t", "60"],
        ...[...shape, "--wrap", "true"],
      ]);
    }
  }

  /** Lets jobs start. */
  async open(): Promise<void> {
    await this.#ask("scontrol", ["update", "partitionname=all", "state=UP"]);
  }

  /** Read from the log, because requests would slow the controller down. */
  async allocations(): Promise<number> {
    let count = 0;
    const lines = createInterface(createReadStream(this.#path("slurmctld.log")));
    for await (const line of lines) if (/sched: Allocate |_start_job: Started /.test(line)) count++;
    return count;
  }

  async version(): Promise<string> {
    return (await this.#ask("sinfo", ["--version"])).stdout.trim();
  }

  async stop(): Promise<void> {
    await this.#children.stop();
  }

  #spawn(name: string, args: readonly string[]): ChildProcess {
    return this.#children.spawn(name, this.#program(name), args);
  }

  #path(name: string): string {
    return this.#children.path(name);
  }

  #ask(name: string, args: readonly string[]): Promise<{ stdout: string }> {
    return run(this.#program(name), [...args], { env: this.#env, cwd: this.#children.folder, timeout: readyMsMax });
  }

  /** Debian gives the controller its plain name only when it is installed. */
  #program(name: string): string {
    const places = [`sbin/${name}-wlm`, `sbin/${name}`, `bin/${name}`].map((place) => join(this.#root, "usr", place));
    return places.find((place) => existsSync(place)) ?? name;
  }
}

function arch(): string {
  return process.arch === "arm64" ? "aarch64" : "x86_64";
}

function configOf(work: Work, folder: string, root: string, port: number): string {
  const { username } = userInfo();
  const me = hostname();
  const plugins = join(root, "usr", "lib", `${arch()}-linux-gnu`, "slurm-wlm");
  const lines = {
    ClusterName: "peer",
    SlurmctldHost: `${me}(127.0.0.1)`,
    CommunicationParameters: "NoCtldInAddrAny,NoInAddrAny",
    SlurmUser: username,
    SlurmdUser: username,
    PluginDir: plugins,
    AuthType: "auth/munge",
    CredType: "cred/munge",
    AuthInfo: `socket=${folder}/munge.sock`,
    SlurmctldPort: port,
    SlurmctldPidFile: `${folder}/slurmctld.pid`,
    SlurmdSpoolDir: `${folder}/spool`,
    StateSaveLocation: `${folder}/state`,
    SlurmctldLogFile: `${folder}/slurmctld.log`,
    ProctrackType: "proctrack/linuxproc",
    TaskPlugin: "task/none",
    MpiDefault: "none",
    MailProg: "/bin/true",
    ReturnToService: 2,
    SelectType: "select/cons_tres",
    SelectTypeParameters: "CR_Core",
    SchedulerType: "sched/backfill",
    SchedulerParameters:
      "defer,sched_interval=1,sched_min_interval=0,batch_sched_delay=0,default_queue_depth=200000,max_sched_time=40,bf_interval=1,bf_max_job_test=200000,bf_resolution=60,bf_continue,max_rpc_cnt=0",
    SlurmctldParameters: "cloud_dns,idle_on_node_suspend",
    SuspendProgram: "/bin/true",
    ResumeProgram: "/bin/true",
    SuspendTime: 100_000,
    ResumeTimeout: 65_000,
    PrivateData: "cloud",
    // The longest that one pass of its scheduler may take is half of this.
    MessageTimeout: 100,
    MinJobAge: 10,
    MaxJobCount: 200_000,
    MaxArraySize: 100_001,
    GresTypes: "gpu",
    JobCompType: "jobcomp/none",
    JobAcctGatherType: "jobacct_gather/none",
    SlurmctldDebug: "info",
  };
  const text = Object.entries(lines).map(([key, value]) => `${key}=${value}`);
  const firstPort = 20_001;
  text.push(
    `NodeName=n[1-${work.nodes}] NodeHostname=${me} NodeAddr=127.0.0.1 Port=[${firstPort}-${firstPort + work.nodes - 1}] Sockets=2 CoresPerSocket=32 ThreadsPerCore=1 RealMemory=1000000 Gres=gpu:h100:${work.gpusPerNode} State=CLOUD`,
    `PartitionName=all Nodes=n[1-${work.nodes}] Default=YES MaxTime=INFINITE State=DOWN`,
  );
  return `${text.join("\n")}\n`;
}
