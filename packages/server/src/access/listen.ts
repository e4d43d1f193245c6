import { isIPv6 } from "node:net";

/** Whether only this machine can reach the address. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host === "::ffff:127.0.0.1" || /^127(\.\d{1,3}){3}$/.test(host);
}

/** Why the server must not listen there: tokens would cross the network in clear text. Undefined when it may. */
export function checkListen(host: string, tls: boolean, insecure: boolean): string | undefined {
  if (tls || insecure || isLoopback(host)) return undefined;
  const shown = isIPv6(host) ? `[${host}]` : host;
  return (
    `refusing to listen on ${shown} without TLS: tokens would travel in clear text. ` +
    "Give --tls-cert and --tls-key, listen on 127.0.0.1, or say --insecure-listen where something in front does TLS."
  );
}
