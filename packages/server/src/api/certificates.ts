import { readFileSync, statSync } from "node:fs";
import type { Server as TlsServer } from "node:tls";
import { strongTls } from "./listen.ts";

/** The files of a certificate and of its key. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

const lookEveryMs = 5_000;

/**
 * Has a server show a renewed certificate without a restart: new connections get it, those that are open stay. Files that
 * do not belong together, as while one is written before the other, are looked at again.
 */
export function followCertificate(
  server: TlsServer,
  files: TlsFiles,
  say: (text: string) => void,
  everyMs = lookEveryMs,
): () => void {
  let seen = timesOf(files);
  let told = "";
  const timer = setInterval(() => {
    const now = timesOf(files);
    if (now === seen || now === undefined) return;
    try {
      server.setSecureContext({ ...strongTls, cert: readFileSync(files.cert), key: readFileSync(files.key) });
      seen = now;
      told = "";
      say(`the certificate ${files.cert} was read again`);
    } catch (error) {
      const why = `the certificate ${files.cert} cannot be used, the one before is: ${(error as Error).message}`;
      if (why !== told) say(why);
      told = why;
    }
  }, everyMs).unref();
  return () => clearInterval(timer);
}

/** Which versions of the files lie there; undefined while one is missing. */
function timesOf({ cert, key }: TlsFiles): string | undefined {
  const found = [cert, key].map((path) => statSync(path, { throwIfNoEntry: false }));
  const [a, b] = found;
  return a && b && `${a.ino} ${a.mtimeMs} ${a.size} ${b.ino} ${b.mtimeMs} ${b.size}`;
}
