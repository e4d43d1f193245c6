import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { ContentStore, type EngineKeys } from "@tessera/content";
import type { HealthFinding, Job, Report } from "@tessera/core";
import type { Clock, Engine } from "@tessera/engine";
import { RemoteCalls } from "@tessera/engine/remote";
import {
  checkCluster,
  checkSettings,
  identifyCluster,
  type KubernetesOptions,
  openKubernetes,
} from "@tessera/engine-kubernetes";
import { openLocalEngine, parseVirtual } from "@tessera/engine-local";
import { openRemoteEngine } from "@tessera/engine-remote";
import { openSimulated } from "@tessera/engine-simulated";
import { openTelemetry } from "@tessera/telemetry";
import { warningsAbout } from "./about-database.ts";
import { engineKeysIn, signerOf, vaultOf } from "./access/holder.ts";
import { type Identity, identityOf } from "./access/identity.ts";
import { pageTokenOf } from "./access/page-token.ts";
import { JournalKeys } from "./access/ring/journal-keys.ts";
import { ringAt, ringPlaceIn } from "./access/ring/place.ts";
import { contentKeysOf } from "./access/ring/tenant-keys.ts";
import { sealedSecretsFor } from "./access/secrets.ts";
import { budgetLooks } from "./api/away/budget-looks.ts";
import { openWork } from "./api/away/open-work.ts";
import { type Api, startApi } from "./api/start.ts";
import { BadCall, dataOf, parseConfig, type ServerConfig, usage } from "./config.ts";
import { prepareDataFolder } from "./data-folder.ts";
import { prepareFirstStart, writePrivately } from "./first-start.ts";
import { UnleasedFile } from "./flow/activity/unleased-notes.ts";
import { Alarms, clockText, diskText } from "./flow/alarms.ts";
import type { OrderSecrets } from "./flow/bind/drive.ts";
import { Reports } from "./flow/bind/reports.ts";
import { clockFile } from "./flow/clock/clock-file.ts";
import { ClockWatch } from "./flow/clock/clock-watch.ts";
import { machineTime } from "./flow/clock/machine-time.ts";
import { placed } from "./flow/clock/place.ts";
import { SteadyClock } from "./flow/clock/steady-clock.ts";
import { sweepContent } from "./flow/content/sweep.ts";
import { ThreadedControlPlane } from "./flow/control-plane.ts";
import { deleteCredentials } from "./flow/engines/credentials.ts";
import { Engines } from "./flow/engines/engines.ts";
import type { AddedKinds, EngineAsk, GivenEngine } from "./flow/engines/kinds.ts";
import { runningFileIn, simulatedKind } from "./flow/engines/simulated-kind.ts";
import { givenByFile, readEngineFile } from "./flow/engines/start-file.ts";
import { CheckWatch } from "./flow/health/check-watch.ts";
import { Findings } from "./flow/health/findings.ts";
import { NodeChecks } from "./flow/health/node-checks.ts";
import { KeptOutputs } from "./flow/keep/kept.ts";
import { Resealing } from "./flow/keys/resealing.ts";
import { deleteAllSecrets } from "./flow/people/secrets.ts";
import { Collector } from "./flow/telemetry/collector.ts";
import { telemetryFolderIn } from "./flow/telemetry/place.ts";
import { RemoteWriter } from "./flow/telemetry/remote-write.ts";
import { beginTrail } from "./flow/trail/begin.ts";
import { settleSigningKey } from "./flow/trail/rotate.ts";
import { IdleWatch } from "./flow/watch/idle-watch.ts";
import { PriceWatch } from "./flow/watch/price-watch.ts";
import { ReconcileWatch } from "./flow/watch/reconcile-watch.ts";
import { TokenWatch } from "./flow/watch/token-watch.ts";
import { AuditOutlet } from "./notify/audit/outlet.ts";
import { Webhook } from "./notify/webhook.ts";
import { keysFor } from "./start-keys.ts";
import { announceStart, type Starting } from "./starting.ts";
import { openReader, openStore } from "./store/index.ts";
import { withStoreKeys } from "./store-keys.ts";
import { ThreadedSeries } from "./work/series.ts";
import { WhatIfRuns } from "./work/what-if-runs.ts";

/** The only place that builds things and joins them: store, writer, engine, API. */
const startedAt = performance.now();
const say = (text: string): void => console.error(text);
/** Where the build puts the console. */
const consoleFolder = fileURLToPath(new URL("../../web/bundle", import.meta.url));
const sweepEveryMs = 60 * 60 * 1000;
/** sysexits: the service is there, but cannot go on. */
const exitOutage = 69;
let starting: Starting | undefined;

async function main(): Promise<void> {
  const parsed = parseConfig(process.argv.slice(2), process.env);
  if (parsed === "help") return console.log(usage);
  prepareDataFolder(parsed.data);
  starting = announceStart(parsed.data);
  const config = await withStoreKeys(parsed);
  await tellOfUnknownCommit(config);
  const file = clockFile(join(config.data, "clock.json"), writePrivately);
  const clock = SteadyClock.start(file.read());
  const contentFolder = join(config.data, "content");
  const sealing = engineKeysIn(
    config.helper === undefined ? { ring: ringPlaceIn(config.data, config.master) } : { helper: config.helper },
  );
  const content = new ContentStore(contentFolder, config.freeBytesMin, contentKeysOf(sealing));
  const engines = enginesOf(config, contentFolder, sealing, clock);
  const control = await ThreadedControlPlane.start(config, () => openReader(config.store), engines.doors, clock);
  control.onFailed((failure) => {
    try {
      if (!failure.known) writePrivately(unknownCommitFile(config), `${failure.op}\n`);
    } catch {} // the next start recovers all the same; it only cannot say what became of this one
    say(`tessera: stopping: ${failure.message}. What was acknowledged is kept; start again to recover.`);
    process.exit(exitOutage);
  });

  const alarms = new Alarms();
  const clockWatch = new ClockWatch({
    ...{ clock, machine: machineTime, file },
    onChange: (alarm) => {
      if (alarm === undefined) alarms.clear("clock");
      else alarms.raise({ kind: "clock", since: alarm.since, text: clockText(alarm) });
      say(`tessera: ${alarm === undefined ? "the clock of this machine is right again" : clockText(alarm)}`);
    },
  });
  clockWatch.start();
  control.onRoom((room) => {
    if (room) alarms.clear("disk");
    else alarms.raise({ kind: "disk", since: control.now(), text: diskText });
  });

  if ("url" in config.store) for (const text of await warningsAbout(config.store.url)) say(`tessera: ${text}`);
  settleSigningKey(config.data, control.state.trail.keys.at(-1)?.publicKey);
  const keys = await keysFor(config, control, (text) => say(`tessera: ${text}`));
  const vault = vaultOf(keys.held, control.state);
  await beginTrail(control, await signerOf(keys.held), (text) => say(`tessera: ${text}`));
  if (config.secretsLost) {
    const count = await deleteAllSecrets(control, { actor: { user: "system" }, request: "secrets-lost" });
    const lost = await deleteCredentials(control, { actor: { user: "system" }, request: "secrets-lost" }, () => true);
    say(`tessera: --secrets-lost: ${count} secrets deleted; their owners must set them again`);
    if (lost > 0) say(`tessera: --secrets-lost: ${lost} engines need their credentials again: tess engine edit`);
  }

  const tokenFile = join(config.data, "owner.token");
  const first = await prepareFirstStart(control, tokenFile);

  const kept = new KeptOutputs(control);
  control.follow(kept);
  await kept.load(control.now());
  const secretsFor = async (job: Job): Promise<OrderSecrets> => {
    const sealed = await sealedSecretsFor(control.reader, control.state, job.account, job.spec.secrets);
    const order = await vault.forOrder(sealed);
    if (job.spec.type !== "notebook") return order;
    return { ...order, secrets: { ...order.secrets, JUPYTER_TOKEN: pageTokenOf(keys.serverKey, job.id) } };
  };
  const findings = new Findings({
    ...{ control, warn: (text) => say(`tessera: ${text}`) },
    after: (ms, act) => clock.at(clock.now() + ms, act),
  });
  const driver = ({ name }: Engine) => {
    const reports = new Reports(
      (report) => control.put({ engine: name, kind: "report", report, v: 1 }),
      (ms) => sleep(ms),
    );
    return {
      files: kept,
      onFinding: (finding: HealthFinding) => findings.take(name, finding),
      report: (report: Report) => reports.put(placed(clock, report)),
      secretsFor,
      now: () => control.now(),
      sleep: (ms: number) => sleep(ms),
      onFenced: (error: Error) => {
        say(`tessera: stopping: ${error.message}`);
        process.exit(exitOutage);
      },
    };
  };
  await engines.begin({ control, vault, driver });
  control.adopted();
  const dataFolder = realpathSync(config.data);
  const sweep = async () => {
    kept.expire(control.now());
    const outputsOf = (tenant: string) => kept.treesOf(tenant);
    await engines
      .sweep((job) => control.state.jobById.has(job))
      .then(() => sweepContent(content, control.state, outputsOf, Math.min(control.now(), Date.now())))
      .catch((error) => say(`tessera: ${error.message}`));
  };
  void sweep();
  const sweeping = setInterval(() => void sweep(), sweepEveryMs);
  const resealing =
    "helper" in keys.held
      ? undefined
      : new Resealing({
          ...{ control, ring: ringAt(keys.held.ring), vault, content },
          journalKeys: new JournalKeys(keys.held.ring),
          logFolders: () => logFoldersIn(config.data),
          say: (text) => say(`tessera: ${text}`),
        });
  resealing?.start();
  const telemetry = openTelemetry({
    dir: telemetryFolderIn(dataFolder),
    settings: { ...config.telemetry, freeBytesMin: config.freeBytesMin },
    warn: (text) => say(`tessera: ${text}`),
  });
  const remote =
    config.remoteWrite &&
    new RemoteWriter({
      ...{ ...config.remoteWrite, warn: (text) => say(`tessera: ${text}`) },
      pathOf: (account) => control.state.accountById.get(account)?.path,
    });
  const idleWatch = new IdleWatch(control, (text) => say(`tessera: ${text}`));
  const collector = new Collector({
    ...{ engines: () => engines.reachable(), state: control.state, now: () => control.now() },
    store: {
      write(rows, members) {
        telemetry.write(rows, members);
        remote?.write(rows);
        void idleWatch.see(rows);
      },
    },
    ...{ everyMs: config.telemetry.everyMs, warn: (text) => say(`tessera: ${text}`) },
  });
  collector.start();
  const work = openWork(control, () => control.seq, {
    ...{ store: config.store, keys, dataFolder },
    content: { folder: contentFolder, freeBytesMin: config.freeBytesMin },
  });
  const series = new ThreadedSeries(
    { store: config.store, file: join(dataFolder, "series.sqlite") },
    () => ({ seq: control.seq, now: control.now() }),
    (text) => say(`tessera: ${text}`),
  );
  const leasedIn = (from: number, to: number) => work.answering.run("leased", { from, to }, "system reconcile");
  const notes = new UnleasedFile(telemetryFolderIn(dataFolder), (text) => say(`tessera: ${text}`));
  const reconciling = new ReconcileWatch({ control, clock, telemetry, alarms, leasedIn, notes });
  const reconciled = () => reconciling.last;
  const tokens = new TokenWatch(control, clock);
  const watches = [...budgetLooks(control, work.answering, clock), new PriceWatch(control, clock), reconciling, tokens];
  for (const watch of watches) watch.start();

  const nodeChecks = new NodeChecks({
    ...{ control, warn: (text) => say(`tessera: ${text}`) },
    engineOf: (name) => [...engines.reachable()].find((engine) => engine.name === name),
  });
  const checkWatch = new CheckWatch({ state: control.state, now: () => control.now(), checks: nodeChecks });
  checkWatch.start();
  const outlets = openOutlets(config, keys.webhookKey, control, alarms);
  const outletsNow = () => outlets.map(({ status }) => status);
  const settings = { ...config, console: consoleFolder };
  const whatIf = whatIfBeside(config, () => control.now());
  const seen = { whatIf, alarms, outletsNow, engines, nodeChecks, telemetry, series, collector, reconciled, idleWatch };
  const parts = { control, keys, content, dataFolder, work, ...seen, config: settings };
  const api = await startApi(parts).catch((error) => {
    throw cannotListen(error, config, tokenFile);
  });
  const certificateFile = config.tls === undefined ? join(config.data, "identity.crt") : resolve(config.tls.cert);
  const endpoint = { url: api.url, pid: process.pid, tokenFile, certificateFile };
  try {
    if (config.tls === undefined) noteIdentity(certificateFile, identityOf(keys.serverKey));
    writePrivately(join(config.data, "endpoint.json"), `${JSON.stringify(endpoint)}\n`);
  } catch (error) {
    say(`tessera: ${(error as Error).message}; log in with tess login ${api.url}`); // on a full disk
  }
  starting.ready();
  for (const gap of engines.gaps()) say(`tessera: ${gap}`);
  greet(config, control, api, first.made ? tokenFile : undefined);

  let closing = false;
  const close = async (signal: string): Promise<void> => {
    if (closing) process.exit(1);
    closing = true;
    say(`tessera: ${signal}: closing; jobs keep running and are taken over at the next start`);
    clearInterval(sweeping);
    for (const watch of watches) watch.stop();
    findings.stop();
    await resealing?.stop();
    checkWatch.stop();
    whatIf.close();
    engines.stop();
    await Promise.all(outlets.map((outlet) => outlet.close()));
    collector.stop();
    await remote?.stop();
    await api.close();
    await work.close();
    await series.close();
    await telemetry.close();
    await control.close();
    clockWatch.stop();
    await engines.close();
    rmSync(join(config.data, "endpoint.json"), { force: true });
    starting?.ready(); // what a second server on this folder may have left there
    process.exit(0);
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => void close(signal));
}

/** The engines of this server: what flags and the file of `--engines` give, and the kinds that people can add. */
function enginesOf(config: ServerConfig, content: string, keys: EngineKeys, clock: Clock): Engines {
  const warn = (text: string) => say(`tessera: ${text}`);
  const kubernetes = ({ name, settings, credentials = "" }: EngineAsk): KubernetesOptions => ({
    ...{ name, settings, kubeconfig: credentials, content, keys, clock },
    ...{ dir: join(config.data, "engines", name), warn: (text) => warn(`engine ${name}: ${text}`) },
  });
  const kinds: AddedKinds = {
    kubernetes: {
      sealed: true,
      check: checkSettings,
      try: (ask) => checkCluster(kubernetes(ask)),
      identify: (ask) => identifyCluster(kubernetes(ask)),
      open: (ask) => openKubernetes(kubernetes(ask)),
    },
    simulated: simulatedKind(
      (groups, engine) => openSimulated(groups, { clock, engine, keptIn: runningFileIn(config.data, engine) }),
      parseVirtual,
    ),
  };
  const listed = config.engines === undefined ? [] : readEngineFile(config.engines);
  const given = listed.map((engine) => givenByFile(engine, kinds[engine.kind]));
  return new Engines({ kinds, given: [...ownEngine(config, content, keys, clock), ...given], warn });
}

/** What runs jobs on this machine, if anything does: the helper, a simulation, or this process. */
function ownEngine(config: ServerConfig, content: string, keys: EngineKeys, clock: Clock): GivenEngine[] {
  const { helper, simulated, labels } = config;
  const labelled = Object.keys(labels).length === 0 ? {} : { labels };
  const common = { settings: {}, lostAfterMs: 0, here: true, ...labelled };
  if (simulated !== undefined)
    return [
      {
        ...{ ...common, name: "simulated", kind: "simulated" },
        open: () => openSimulated(parseVirtual(simulated), { clock, keptIn: runningFileIn(config.data, "simulated") }),
      },
    ];
  if (!config.local) return [];
  const kernelLog = process.env.TESSERA_KERNEL_LOG;
  const open = (): Promise<Engine> => {
    if (helper === undefined)
      return openLocalEngine({
        ...{ dir: join(config.data, "engine"), content, keys, hide: [config.data, clientFolder()] },
        ...(config.dcgm !== undefined && { dcgm: config.dcgm }),
        ...{ virtual: config.virtual, tenantsShareUser: config.tenantsShareUser, clock },
        ...(kernelLog !== undefined && { kernelLog }),
        ...(config.checks !== undefined && { checks: config.checks }),
      });
    mkdirSync(content, { recursive: true, mode: 0o700 }); // the helper keeps results for the user who owns it
    return openRemoteEngine(new RemoteCalls(helper));
  };
  return [{ ...common, name: "local", kind: "local", open }];
}

/** Where engines of this process keep logs. */
function logFoldersIn(data: string): string[] {
  const engines = join(data, "engines");
  const names = existsSync(engines) ? readdirSync(engines) : [];
  return [join(data, "engine", "logs"), ...names.map((name) => join(engines, name, "logs"))];
}

/** By which `tess` on this machine recognises the server. The same at every start, so a full disk does not matter later. */
function noteIdentity(file: string, { cert }: Identity): void {
  if (!existsSync(file) || readFileSync(file, "utf8") !== cert) writePrivately(file, cert);
}

/** Where the CLI of this user keeps tokens: a job that runs as the same user could read them. */
function clientFolder(): string {
  return join(process.env.XDG_CONFIG_HOME || join(homedir(), ".config"), "tess");
}

/** What is told to other systems. From the first start with one on, everything is told; what was before is not. */
function openOutlets(config: ServerConfig, key: Buffer, control: ThreadedControlPlane, alarms: Alarms): Outlet[] {
  const headSeq = control.started.seq;
  const common = {
    key,
    headSeq,
    sleep: async (ms: number, signal: AbortSignal) => void (await sleep(ms, undefined, { signal }).catch(() => {})),
    warn: (text: string) => say(`tessera: ${text}`),
  };
  const fileOf = (name: string) => join(config.data, name);
  const failing = new Map<string, string>();
  const turned = (name: string, fault: string | undefined) => {
    if (fault === undefined) failing.delete(name);
    else failing.set(name, `The audit is not taken by ${name}: ${fault}. It is sent again until it is.`);
    const [text] = failing.values();
    if (text === undefined) alarms.clear("audit");
    else alarms.raise({ kind: "audit", since: control.now(), text });
  };
  const outlets: Outlet[] = config.auditTo.map(
    (target) => new AuditOutlet({ target, control, fileOf, turned, ...common }),
  );
  if (config.webhook !== undefined) {
    const places = { url: config.webhook, cursorFile: fileOf("webhook.cursor"), startFrom: headSeq };
    outlets.push(new Webhook({ ...places, reader: control.reader, now: () => control.now(), ...common }));
  }
  for (const outlet of outlets) control.follow(outlet);
  return outlets;
}

type Outlet = AuditOutlet | Webhook;

/** The program that replays the past, with the store and the keys of this server; their places go by environment, which others cannot list. */
function whatIfBeside(config: ServerConfig, now: () => number): WhatIfRuns {
  const { store, master, data } = config;
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    TESSERA_DATA: data,
    ...("url" in store && { TESSERA_DATABASE_URL: store.url }),
    ...(typeof master === "string" && { TESSERA_MASTER_KEY: master }),
    ...(typeof master === "object" && {
      ...{ TESSERA_KEY_SERVICE: master.url, TESSERA_KEY_SERVICE_TOKEN_FILE: master.tokenFile },
    }),
  };
  const program = fileURLToPath(new URL("../../what-if/dist/main.js", import.meta.url));
  return new WhatIfRuns({ program, args: [], env, now });
}

function greet(config: ServerConfig, control: ThreadedControlPlane, api: Api, newToken: string | undefined): void {
  const { fleet } = control.state;
  const nodes = fleet.nodes.filter((node) => node !== undefined);
  const virtual = nodes.some((node) => node.facts.virtual) ? " virtual" : "";
  const gpus = nodes.reduce((sum, node) => sum + node.facts.gpus.length, 0);
  const store = "url" in config.store ? "PostgreSQL" : "SQLite";
  const { seq, eventsReplayed } = control.started;
  if (newToken !== undefined) {
    say(`tessera: first start. You are the platform owner; your token is kept in ${newToken}, where tess finds it`);
  }
  say(
    `tessera: ${gpus}${virtual} ${gpus === 1 ? "GPU" : "GPUs"} on ${nodes.length} ${nodes.length === 1 ? "node" : "nodes"}; ${store} journal at row ${seq}, ${eventsReplayed} events replayed`,
  );
  // The token itself would stay in the terminal and in the logs of whatever started this.
  const link = newToken === undefined ? undefined : api.signInLink(readFileSync(newToken, "utf8").trim());
  const open = `npx tess ${finding(config)}open`;
  if (link === undefined) say(`tessera: the console, signed in: ${open}`);
  else say(`tessera: the console, signed in (this link works once and for 10 minutes, later: ${open}): ${link}`);
  say(
    `tessera: ready at ${api.url} after ${((performance.now() - startedAt) / 1000).toFixed(2)} s. Try: npx tess ${finding(config)}run --gpus 1 -- echo hello`,
  );
}

/** What `tess` must be told to find this server: nothing in the clone's own data folder. */
function finding({ data }: ServerConfig): string {
  return data === dataOf(undefined, { TESSERA_ROOT: process.env.TESSERA_ROOT }) ? "" : `--data ${shellWord(data)} `;
}

function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The token was made before: whoever saw it only in the terminal of a start that failed learns where it is kept. */
function cannotListen(error: NodeJS.ErrnoException, { host, port }: ServerConfig, tokenFile: string): Error {
  const token = `The owner's token can be shown again: cat ${tokenFile}`;
  if (error.code === "EADDRINUSE")
    return new Error(
      `port ${port} on ${host} is in use, perhaps by another Tessera. Stop that program (ss -ltnp shows which it is), ` +
        `or choose another port: npm start -- --port ${port + 1}, or --port 0 for any free one. ${token}`,
      { cause: error },
    );
  if (error.code === "EACCES")
    return new Error(
      `port ${port} may not be used by this user: ports below 1024 belong to root. Choose another with --port. ${token}`,
      { cause: error },
    );
  if (error.code === "EADDRNOTAVAIL")
    return new Error(`${host} is not an address of this machine. Choose another with --host. ${token}`, {
      cause: error,
    });
  return error;
}

function unknownCommitFile(config: ServerConfig): string {
  return join(config.data, "unknown-commit");
}

/** The last run could not tell whether its last commit took place; the journal can, by the operation's id. */
async function tellOfUnknownCommit(config: ServerConfig): Promise<void> {
  const file = unknownCommitFile(config);
  if (!existsSync(file)) return;
  const op = readFileSync(file, "utf8").trim();
  const store = await openStore(config.store);
  const seq = await store.findOperation(op);
  await store.close();
  say(
    `tessera: the last commit of the run before (${op}) ${seq === undefined ? "did not take place" : `took place as row ${seq}`}`,
  );
  rmSync(file);
}

main().catch((error: NodeJS.ErrnoException) => {
  if (error instanceof BadCall) {
    say(`tess server: ${error.message}`);
    process.exit(2);
  }
  const reason = `cannot start: ${error.message}`;
  starting?.failed(reason);
  say(`tess server: ${reason}`);
  if (process.env.TESSERA_DEBUG) say(error.stack ?? "");
  process.exit(exitOutage);
});
