interface BrowserHeaders {
  readonly host?: string;
  readonly origin?: string;
  readonly "sec-fetch-site"?: string | string[];
}

/**
 * Whether a request comes from our own page. Browsers say where a request comes from and pages cannot lie about it;
 * what says nothing is no browser of today, and is believed only where no cookie is at stake.
 */
export function isSameOrigin(headers: BrowserHeaders): boolean | "untold" {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin";
  if (headers.origin === undefined) return "untold";
  try {
    return new URL(headers.origin).host === headers.host;
  } catch {
    return false;
  }
}

/** Scheme, host and port under which a client reached us, as far as it says. */
export function originOf({ host }: BrowserHeaders, secure: boolean): string {
  return `${secure ? "https" : "http"}://${(host ?? "").toLowerCase()}`;
}
