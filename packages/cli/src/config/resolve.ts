import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { configFailure, Outage } from "../failure.ts";
import type { Target } from "../http.ts";
import type { Terminal } from "../terminal.ts";
import { readEndpoint, tokenOfEndpoint } from "./endpoint.ts";
import { type Config, type Context, readConfig, readKept } from "./file.ts";
import { type FolderConfig, readFolderConfig } from "./folder.ts";
import { configFolder, dataFolder } from "./paths.ts";

/** What the command line says about where to go. */
export interface WhereFlags {
  readonly server?: string;
  /** The data folder of a server on this machine. */
  readonly data?: string;
  readonly token?: string;
  readonly tokenFile?: string;
  readonly context?: string;
  readonly project?: string;
}

/** The server, the token and the project of a command; decided once per command. */
export interface Settings {
  /** Looks again each time: the clone's server may have come back on another port. */
  readonly locate: () => Target;
  readonly serverFrom: "flag" | "environment" | "context" | "data" | "clone";
  /** The data folder of the server, where that is how it is found; a server may be starting there. */
  readonly data: string | undefined;
  readonly context: string | undefined;
  readonly project: string | undefined;
  /** What lists are cut to unless all projects are asked for. */
  readonly scope: string | undefined;
}

/** Flags first, then TESS_*, `.tess.yaml`, the current context, and last the server of TESSERA_DATA or of this clone. */
export async function resolveSettings(flags: WhereFlags, terminal: Terminal): Promise<Settings> {
  const { env } = terminal;
  const folder = configFolder(env);
  const config = await readConfig(folder);
  const here = await readFolderConfig(terminal.cwd);
  const name = flags.context ?? (env.TESS_CONTEXT || undefined) ?? here.context ?? config.current;
  const context = contextOf(config, name, flags, here);
  const project = flags.project ?? (env.TESS_PROJECT || undefined) ?? here.project ?? context.project;
  const named = flags.server ?? (flags.data ? undefined : ((env.TESS_SERVER || undefined) ?? context.server));
  const serverFrom = sourceOf(flags, env, context);
  const data = dataFolder(terminal, flags.data);
  const givenToken = givenTokenOf(flags, terminal);

  const locate = (): Target => {
    const endpoint = readEndpoint(data);
    const server = named ?? endpoint?.url;
    if (server === undefined) throw noServer(data, flags.data ?? env.TESSERA_DATA);
    checkAddress(server);
    const isOwn = endpoint !== undefined && sameServer(endpoint.url, server);
    const known = [context, ...Object.values(config.contexts)].find((each) => sameServer(each.server, server));
    const { certificate, certificateFrom } = isOwn ? endpoint : noted(folder, known);
    const trust = certificate === undefined ? {} : { certificate, certificateFrom };
    if (givenToken !== undefined) return { server, ...givenToken, ...trust };
    const kept = readKept(folder, known?.token_file);
    if (kept !== undefined) return { server, token: kept, tokenFrom: join(folder, known!.token_file!), ...trust };
    const own = isOwn ? tokenOfEndpoint(endpoint) : undefined;
    return { server, token: own, ...(own !== undefined && { tokenFrom: endpoint!.tokenFile! }), ...trust };
  };
  const found = named === undefined ? data : undefined;
  return { locate, serverFrom, data: found, context: name, project, scope: project ?? context.tenant };
}

/** The certificate that `tess login` noted for the server of a context. */
export function noted(
  folder: string,
  known: Context | undefined,
): { readonly certificate?: string | undefined; readonly certificateFrom?: string } {
  const file = known?.certificate_file;
  return file === undefined ? {} : { certificate: readKept(folder, file), certificateFrom: join(folder, file) };
}

function sourceOf(flags: WhereFlags, env: Terminal["env"], context: Context): Settings["serverFrom"] {
  if (flags.server !== undefined) return "flag";
  if (flags.data) return "data";
  if (env.TESS_SERVER) return "environment";
  if (context.server) return "context";
  return env.TESSERA_DATA ? "data" : "clone";
}

function noServer(data: string | undefined, asked: string | undefined): Outage {
  if (data === undefined)
    return new Outage(
      "no Tessera server is known",
      "log in to one with tess login URL, or name the data folder of one on this machine with --data",
    );
  if (asked) return new Outage(`no Tessera server runs on ${data}`, `start one with npm start -- --data ${data}`);
  return new Outage(
    "no Tessera server is known",
    "start one with npm start, log in to one with tess login URL, or name its data folder with --data",
  );
}

function contextOf(config: Config, name: string | undefined, flags: WhereFlags, here: FolderConfig): Context {
  if (name === undefined) return {};
  const context = config.contexts[name];
  if (context !== undefined) return context;
  // A repository may name a context that this user does not have; asking for it by hand is a mistake.
  if (flags.context === undefined && name === here.context && flags.server !== undefined) return {};
  const known = Object.keys(config.contexts).join(", ") || "none";
  throw configFailure(
    `there is no context "${name}"`,
    `contexts: ${known}; tess login URL --context ${name} makes one`,
  );
}

function givenTokenOf(
  flags: WhereFlags,
  { env, cwd }: Terminal,
): { readonly token: string; readonly tokenFrom: string } | undefined {
  if (flags.token !== undefined) return { token: flags.token, tokenFrom: "--token" };
  if (flags.tokenFile !== undefined)
    return { token: readTokenFile(resolve(cwd, flags.tokenFile)), tokenFrom: `--token-file ${flags.tokenFile}` };
  return env.TESS_TOKEN ? { token: env.TESS_TOKEN, tokenFrom: "the variable TESS_TOKEN" } : undefined;
}

export function readTokenFile(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    throw configFailure(`the token file ${path} cannot be read: ${(error as Error).message}`);
  }
}

export function checkAddress(server: string): string {
  const url = URL.parse(server);
  if (url !== null && (url.protocol === "http:" || url.protocol === "https:")) return server;
  const rest = server.replace(/^[a-z]+:\/\//i, "");
  const here = /^(localhost|127\.|\[::1\])/.test(rest);
  throw configFailure(
    `"${server}" is not the address of a server: it must begin with http:// or https://`,
    here ? `write http://${rest}, or https:// for a server with TLS` : `write https://${rest}, or http:// without TLS`,
  );
}

/** A token goes only to the server that it was given for. */
export function sameServer(one: string | undefined, other: string): boolean {
  return one !== undefined && URL.parse(one)?.origin === URL.parse(other)?.origin;
}
