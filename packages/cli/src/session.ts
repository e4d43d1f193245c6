import { resolveSettings, type Settings, type WhereFlags } from "./config/resolve.ts";
import type { Place } from "./heads/check.ts";
import { Api } from "./http.ts";
import type { Progress } from "./job/progress.ts";
import { type Format, parseFormat } from "./output/format.ts";
import { type Paint, painterOf, type Terminal } from "./terminal.ts";

/** Flags that every command takes. */
export interface GlobalOptions extends WhereFlags {
  readonly output?: string;
  readonly json?: boolean;
  readonly yes?: boolean;
  /** False: addresses are printed. */
  readonly browser?: boolean;
}

/** One command being carried out: its terminal, its flags, and the server, looked up when first needed. */
export class Session {
  readonly terminal: Terminal;
  /** What stood after `--`, untouched; undefined without one. */
  readonly afterDashes: readonly string[] | undefined;
  readonly paint: Paint;
  readonly paintNote: Paint;
  /** For completion: a server that is being started is not waited for. */
  hurried = false;
  /** What the command ends with unless it throws. */
  exitCode = 0;
  #options: GlobalOptions = {};
  #settings: Promise<Settings> | undefined;
  #api: Promise<Api> | undefined;

  constructor(terminal: Terminal, afterDashes?: readonly string[]) {
    this.terminal = terminal;
    this.afterDashes = afterDashes;
    this.paint = painterOf(terminal.stdout, terminal.env);
    this.paintNote = painterOf(terminal.stderr, terminal.env);
  }

  /** Called once the arguments are parsed. */
  begin(options: GlobalOptions): void {
    this.#options = options;
    parseFormat(this.format);
  }

  get options(): GlobalOptions {
    return this.#options;
  }

  get format(): Format {
    return this.#options.json ? "json" : ((this.#options.output ?? "table") as Format);
  }

  /** Whether people read the answer, not programs. */
  get readable(): boolean {
    return this.format === "table" || this.format === "wide";
  }

  settings(): Promise<Settings> {
    this.#settings ??= resolveSettings(this.#options, this.terminal);
    return this.#settings;
  }

  api(): Promise<Api> {
    this.#api ??= this.#findServer();
    return this.#api;
  }

  async #findServer(): Promise<Api> {
    const { locate, data } = await this.settings();
    if (data !== undefined && !this.hurried) await this.#untilStarted(data);
    return new Api(locate, {
      choose: async (several) => (await import("./job/choose.ts")).chooseJob(this, several),
      password: async () => {
        const { askSecret, canAsk } = await import("./prompt.ts");
        return canAsk(this) ? askSecret(this, "Your password: ") : undefined;
      },
      stepUp: async (api, refused) => (await import("./browser/step-up.ts")).showFactor(this, api, refused),
    });
  }

  /** Somebody may have typed `npm start` a moment ago. */
  async #untilStarted(data: string): Promise<void> {
    const { untilStarted } = await import("./config/starting.ts");
    let progress: Progress | undefined;
    const tell = async (detail: string) => {
      progress ??= (await import("./job/progress.ts")).progressOf(this);
      progress.phase("server", detail);
    };
    try {
      await untilStarted(data, tell);
      progress?.end();
    } catch (error) {
      progress?.end(true);
      throw error;
    }
  }

  /** Says that this program and the server are of different versions, where they are. Once, after everything else. */
  async compareVersions(): Promise<void> {
    const server = (await this.#api?.catch(() => undefined))?.serverVersion;
    if (server === undefined || this.silent) return;
    const { versionOfPackage } = await import("./version.ts");
    const own = versionOfPackage();
    if (server !== own)
      await this.note(
        `This tess is ${own} and the server is ${server}: install tess of the same version if something fails.`,
      );
  }

  /** Says that the token will expire soon, where the server says so. */
  async warnOfExpiry(): Promise<void> {
    const at = (await this.#api?.catch(() => undefined))?.tokenExpiresAt;
    if (at === undefined || this.hurried) return;
    const { ageText } = await import("./output/time.ts");
    const left = ageText(new Date(this.now()).toISOString(), Date.parse(at));
    await this.note(`Your token expires in ${left}. Make another: tess token create --expires-in 90d, or tess login.`);
  }

  /** Warns where the server's history is not the one that was seen before. Never fails a command. */
  async compareHeads(): Promise<void> {
    const api = await this.#api?.catch(() => undefined);
    if (api?.serverVersion === undefined || this.hurried) return;
    const { compareHeads } = await import("./heads/check.ts");
    const warning = await compareHeads(this.terminal, api, await this.place(), this.now()).catch(() => undefined);
    if (warning === undefined) return;
    const text = this.silent ? JSON.stringify({ warning: { code: "history-changed", message: warning } }) : warning;
    await this.terminal.stderr.write(`${this.silent ? text : this.paintNote("red", text)}\n`);
  }

  /** What the server is remembered by. */
  async place(): Promise<Place> {
    const { data } = await this.settings();
    if (data !== undefined) return { name: data, local: true };
    return { name: new URL((await this.api()).server).origin, local: false };
  }

  print(text: string): Promise<void> {
    return this.terminal.stdout.write(text);
  }

  /** Whether stderr is kept for errors alone, so that a program can parse it. */
  get silent(): boolean {
    return this.format === "json" || this.format === "yaml";
  }

  /** A line beside the answer: progress, advice, warnings. */
  async note(text: string): Promise<void> {
    if (!this.silent) await this.terminal.stderr.write(`${text}\n`);
  }

  now(): number {
    return Date.now();
  }
}
