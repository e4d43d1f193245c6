import { createHash } from "node:crypto";
import type { ProviderTerms, ReadonlyState } from "@tessera/core";
import * as oidc from "openid-client";
import { soundPrivates } from "../../access/private-rows.ts";
import { MasterAway } from "../../access/ring/master.ts";
import type { Vault } from "../../access/vault.ts";
import type { PrivateWrite, StoreReader } from "../../store/port.ts";
import {
  type AnswerLimits,
  boundedFetch,
  isSafeAddress,
  ProviderFault,
  sharedFetch,
  usualAnswerLimits,
} from "./bounded-fetch.ts";

/** How far the clocks of provider and server may differ. */
export const clockSkewSeconds = 60;
/** What a provider says of itself is asked for again after this long, and a failure is remembered for a moment. */
const knownMs = 3_600_000;
const failedMs = 5_000;

export const providerKind = "provider";

export function sealedRow(provider: string): string {
  return `provider/${provider}`;
}

/** The private row with the sealed client secret of a provider. */
export async function secretRow(vault: Pick<Vault, "seal">, provider: string, text: string): Promise<PrivateWrite> {
  return { kind: providerKind, key: provider, value: await vault.seal(sealedRow(provider), text) };
}

export function noSecret(provider: string): PrivateWrite {
  return { kind: providerKind, key: provider, value: null };
}

interface Known {
  readonly key: string;
  readonly at: number;
  readonly config: Promise<oidc.Configuration>;
  failed?: true;
}

/** What the parties are made from. */
interface Ground {
  readonly state: ReadonlyState;
  readonly reader: Pick<StoreReader, "privates">;
  readonly vault: Pick<Vault, "openToken">;
}

/** This server as a client of each provider: what the provider says of itself, and its keys, are asked for and kept. */
export class Parties {
  readonly #ground: () => Ground;
  readonly #limits: AnswerLimits;
  readonly #known = new Map<string, Known>();

  constructor(ground: () => Ground, limits: AnswerLimits = usualAnswerLimits) {
    this.#ground = ground;
    this.#limits = limits;
  }

  /** For a provider that is known. Rejects with a `ProviderFault`. */
  async of(name: string): Promise<oidc.Configuration> {
    const { state } = this.#ground();
    const provider = state.providers.get(name);
    if (provider === undefined) throw new ProviderFault("it is not a provider of this server");
    const secret = await this.secretOf(name);
    const { issuer, clientId } = provider.terms;
    const key = createHash("sha256")
      .update(JSON.stringify([issuer, clientId, secret]))
      .digest("base64");
    const kept = this.#known.get(name);
    const age = performance.now() - (kept?.at ?? 0);
    if (kept?.key === key && age < (kept.failed ? failedMs : knownMs)) return kept.config;
    const config = this.discover(provider.terms, secret);
    const known: Known = { key, at: performance.now(), config };
    this.#known.set(name, known);
    config.catch(() => {
      known.failed = true;
    });
    return config;
  }

  async secretOf(name: string): Promise<string | undefined> {
    const { reader, state, vault } = this.#ground();
    const sealed = (await soundPrivates(reader, state, providerKind, [name])).get(name);
    if (sealed === undefined) return undefined;
    try {
      return await vault.openToken(sealedRow(name), sealed);
    } catch (error) {
      if (error instanceof MasterAway) throw error;
      throw new ProviderFault("its client secret cannot be opened and must be given again");
    }
  }

  /** Asks a provider what it says of itself. Rejects with a `ProviderFault`. */
  async discover(
    { issuer, clientId }: Pick<ProviderTerms, "issuer" | "clientId">,
    secret: string | undefined,
  ): Promise<oidc.Configuration> {
    const address = new URL(issuer);
    if (!isSafeAddress(address)) throw new ProviderFault(`${address.origin} does not speak TLS`);
    const fetching = boundedFetch(this.#limits);
    // The bounded fetch holds every address to TLS or this machine.
    const execute = address.protocol === "http:" ? [oidc.allowInsecureRequests] : [];
    try {
      const found = await oidc.discovery(address, clientId, undefined, oidc.None(), {
        execute,
        [oidc.customFetch]: fetching,
      });
      const server = found.serverMetadata();
      const config = new oidc.Configuration(
        server,
        clientId,
        { [oidc.clockTolerance]: clockSkewSeconds },
        authenticationOf(server, secret),
      );
      config[oidc.customFetch] = sharedFetch(fetching, server.jwks_uri);
      for (const apply of execute) apply(config);
      // Tokens are believed by their signature, not only because TLS led to where they came from.
      oidc.enableNonRepudiationChecks(config);
      return config;
    } catch (error) {
      throw faultOf(error);
    }
  }
}

function authenticationOf(server: oidc.ServerMetadata, secret: string | undefined): oidc.ClientAuth {
  if (secret === undefined) return oidc.None();
  const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  return methods.includes("client_secret_basic") ? oidc.ClientSecretBasic(secret) : oidc.ClientSecretPost(secret);
}

/** The words of the library, or ours where a request was stopped; never what the provider sent. */
export function faultOf(error: unknown): ProviderFault {
  for (let each = error; each instanceof Error; each = each.cause) if (each instanceof ProviderFault) return each;
  const { message, cause } = error as Error;
  const reason = cause instanceof Error ? `${message}: ${cause.message}` : message;
  return new ProviderFault(reason.slice(0, 200));
}
