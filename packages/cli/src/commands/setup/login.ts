import { resolve } from "node:path";
import type { Command } from "commander";
import { readEndpoint, tokenOfEndpoint } from "../../config/endpoint.ts";
import { checkContextName, readConfig, writeCertificate, writeConfig, writeToken } from "../../config/file.ts";
import { configFolder, dataFolder } from "../../config/paths.ts";
import { checkAddress, noted, readTokenFile, sameServer } from "../../config/resolve.ts";
import { usageFailure } from "../../failure.ts";
import { examples } from "../../help.ts";
import { Api, type Target } from "../../http.ts";
import { bindingText } from "../../nouns/access.ts";
import { emitObject } from "../../output/emit.ts";
import { askSecret, canAsk } from "../../prompt.ts";
import type { Session } from "../../session.ts";

export function define(command: Command, session: Session): void {
  command
    .description(
      "Remembers a server and a token as a context, and makes it the current one.\n" +
        "At an http:// address it also notes the server's key and shows it: compare it with what tess whoami shows the owner.\n" +
        "Where people sign in with a provider, it opens a browser, which lets this program in for a week. Otherwise the\n" +
        "token comes from --token-file, --token or TESS_TOKEN, is asked for on a terminal, or is read from standard input.\n" +
        "A pipeline needs none: --workload, or the variable TESS_WORKLOAD_TOKEN_FILE, names the token that its run was given.",
    )
    .option(
      "--workload <file>",
      "exchange the token in this file, which a CI system or a cluster gave the run, for a short one",
    )
    .option("--exchange <name>", "the exchange that is meant, where several take the token")
    .option("--device", "print an address and a code, for a browser on any machine")
    .argument("[server]", "address, such as https://tessera.example.org; default: the server of this clone");
  examples(command, [
    "tess login https://tessera.example.org",
    "tess login https://tessera.example.org --device",
    "tess login https://tessera.example.org --context work --token-file t.txt",
    "tess login https://tessera.example.org --workload /var/run/secrets/tokens/tessera",
  ]);
  command.action((server: string | undefined, flags: LoginFlags) => login(session, server, flags));
}

interface LoginFlags {
  readonly device?: true;
  readonly workload?: string;
  readonly exchange?: string;
}

/** Where the server has providers, or it is asked for, a browser lets this program in; otherwise a token is typed. */
async function tokenOfPerson(session: Session, target: Omit<Target, "token">, device: boolean): Promise<string> {
  const api = new Api(() => ({ ...target, token: undefined }));
  if (device) return (await import("../../browser/login.ts")).loginByDevice(session, api);
  if (canAsk(session)) {
    const { providers = [] } = await api.call("readSession");
    if (providers.length > 0) return (await import("../../browser/login.ts")).loginByBrowser(session, api);
  }
  return (await askSecret(session, `Token for ${target.server}: `)).trim();
}

/** What a CI system or a cluster gave this run becomes a token that lives for minutes. */
async function tokenOfRun(
  session: Session,
  target: Omit<Target, "token">,
  file: string,
  name: string | undefined,
): Promise<string> {
  const { exchangeToken } = await import("../../workload.ts");
  return exchangeToken(target, readTokenFile(resolve(session.terminal.cwd, file)), name);
}

async function login(session: Session, given: string | undefined, flags: LoginFlags): Promise<void> {
  const { options, terminal } = session;
  const endpoint = readEndpoint(dataFolder(terminal, options.data));
  const address = given ?? options.server ?? (terminal.env.TESS_SERVER || undefined) ?? endpoint?.url;
  if (address === undefined)
    throw usageFailure(
      "the server is missing",
      "tess login https://tessera.example.org, or npm start for one of your own",
    );
  const server = checkAddress(address).replace(/\/+$/, "");
  const ownServer = endpoint !== undefined && sameServer(endpoint.url, server) ? endpoint : undefined;
  const folder = configFolder(terminal.env);
  const config = await readConfig(folder);
  const known = Object.entries(config.contexts).find(([, context]) => sameServer(context.server, server));
  const { certificateAt, fingerprintOf } = await import("../../tls.ts");
  const before = ownServer ?? noted(folder, known?.[1]);
  const isPlain = new URL(server).protocol === "http:";
  const certificate = before.certificate ?? (isPlain ? await certificateAt(server) : undefined);
  // Before the token is asked for and sent: a person can still stop here.
  if (isPlain && certificate !== undefined && before.certificate === undefined)
    await session.note(`The key of ${server} is ${fingerprintOf(certificate)}; from now on no other is believed.`);
  const trust = { certificate, certificateFrom: before.certificateFrom };
  const workload = flags.workload ?? (terminal.env.TESS_WORKLOAD_TOKEN_FILE || undefined);
  const token =
    (workload === undefined ? undefined : await tokenOfRun(session, { server, ...trust }, workload, flags.exchange)) ??
    options.token ??
    (options.tokenFile === undefined ? undefined : readTokenFile(options.tokenFile)) ??
    (terminal.env.TESS_TOKEN || undefined) ??
    (ownServer && flags.device !== true ? tokenOfEndpoint(ownServer) : undefined) ??
    (await tokenOfPerson(session, { server, ...trust }, flags.device === true || options.browser === false));
  const me = await new Api(() => ({ server, token, ...trust })).call("whoAmI");

  const name = checkContextName(
    options.context ?? known?.[0] ?? new URL(server).hostname.replace(/[^A-Za-z0-9._-]/g, "-"),
  );
  const { certificate_file: _before, ...kept } = config.contexts[name] ?? {};
  const project = options.project ?? kept.project;
  config.contexts[name] = {
    ...kept,
    server,
    token_file: writeToken(folder, name, token),
    ...(isPlain && certificate !== undefined && { certificate_file: writeCertificate(folder, name, certificate) }),
    ...(project !== undefined && { project }),
  };
  await writeConfig(folder, { ...config, current: name });
  await emitObject(session, me, name, ({ name: person, bindings }) => {
    const roles = bindings.length === 0 ? "" : ` (${bindings.map(bindingText).join(", ")})`;
    return `Logged in to ${server} as ${session.paint("bold", person)}${roles}; context ${name}\n`;
  });
}
