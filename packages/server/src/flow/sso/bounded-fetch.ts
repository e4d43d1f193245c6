import { isLoopback } from "../../access/listen.ts";

/** What a provider may send in one answer, and how long it may take over it. */
export interface AnswerLimits {
  readonly bytesMax: number;
  readonly msMax: number;
}

export const usualAnswerLimits: AnswerLimits = { bytesMax: 1_048_576, msMax: 10_000 };

/** Why a request to a provider came to nothing. */
export class ProviderFault extends Error {}

/** Whether secrets may be sent there: with TLS, or on this machine. */
export function isSafeAddress({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || (protocol === "http:" && isLoopback(hostname.replace(/^\[|\]$/g, "")));
}

interface Asked {
  readonly method?: string;
  readonly headers?: Record<string, string> | Headers;
  readonly body?: RequestInit["body"];
}

/** `fetch` for answers of providers: bounded in bytes and time, following no redirect, with TLS or on this machine. */
export function boundedFetch({ bytesMax, msMax }: AnswerLimits) {
  return async (url: string, { method = "GET", headers = {}, body = null }: Asked): Promise<Response> => {
    const to = new URL(url);
    if (!isSafeAddress(to)) throw new ProviderFault(`it names ${to.origin}, which does not speak TLS`);
    const signal = AbortSignal.timeout(msMax);
    try {
      const answer = await fetch(to, { method, headers, body, redirect: "manual", signal });
      const bytes = await readUpTo(answer, bytesMax);
      const { status } = answer;
      if (status >= 300 && status < 400) throw new ProviderFault(`${to.pathname} sends elsewhere (${status})`);
      return new Response(status === 204 ? null : Buffer.concat(bytes), { status, headers: answer.headers });
    } catch (error) {
      if (error instanceof ProviderFault) throw error;
      if (signal.aborted) throw new ProviderFault(`${to.origin} took longer than ${msMax / 1000} s to answer`);
      throw new ProviderFault(`${to.origin} cannot be reached`);
    }
  };
}

/** The same, but asking no more often than this, however the last time ended: callers may be strangers. */
export function spacedFetch(fetching: ReturnType<typeof boundedFetch>, everyMs: number): typeof fetching {
  let askedAt = Number.NEGATIVE_INFINITY;
  return (url, asked) => {
    const ago = Date.now() - askedAt;
    if (ago >= 0 && ago < everyMs)
      throw new ProviderFault(`${new URL(url).origin} was asked a moment ago, and in vain`);
    askedAt = Date.now();
    return fetching(url, asked);
  };
}

/** The same, but callers that ask for this address while it is being asked share one answer: keys, when many sign in. */
export function sharedFetch(fetching: ReturnType<typeof boundedFetch>, shared: string | undefined): typeof fetching {
  let asking: Promise<Response> | undefined;
  return async (url, asked) => {
    if (url !== shared) return fetching(url, asked);
    asking ??= fetching(url, asked).finally(() => {
      asking = undefined;
    });
    return (await asking).clone();
  };
}

async function readUpTo(answer: Response, bytesMax: number): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body ?? []) {
    size += chunk.length;
    if (size > bytesMax) throw new ProviderFault(`it answers with more than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  return chunks;
}
