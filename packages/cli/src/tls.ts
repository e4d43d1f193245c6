import { createHash, X509Certificate } from "node:crypto";
import { connect, type PeerCertificate, type SecureContextOptions } from "node:tls";
import { exit } from "./exit.ts";
import { ConnectionLost, Failure } from "./failure.ts";
import type { Target } from "./http.ts";

type Trust = SecureContextOptions & {
  checkServerIdentity?: (host: string, shown: PeerCertificate) => Error | undefined;
};

const connectMsMax = 10_000;

/**
 * The address to connect to. A server at an http:// address speaks TLS there too, under a key of its own: no request
 * leaves this program before the other side has shown who it is.
 */
export function secured(url: URL): URL {
  if (url.protocol !== "http:") return url;
  const secure = new URL(url);
  secure.protocol = "https:";
  if (url.port === "") secure.port = "80";
  return secure;
}

/** What must be shown before anything is sent; throws where nothing is known of a server that no authority vouches for. */
export async function trustIn({ server, certificate }: Target): Promise<Trust> {
  if (certificate !== undefined) return believeOnly(certificate);
  if (new URL(server).protocol === "https:") return {};
  const shown = fingerprintOf(await certificateAt(server));
  throw new Failure(exit.notAllowed, {
    code: "server-unknown",
    message: `the key of ${server} is not known here, so no token was sent. It shows ${shown}`,
    hint: `tess login ${server} notes it; on the machine of the server, --data FOLDER or TESSERA_DATA finds it`,
  });
}

/** The certificate that a server shows, unchecked; nothing else is asked of it. */
export function certificateAt(server: string): Promise<string> {
  const { hostname, port } = secured(new URL(server));
  const host = hostname.replace(/^\[|\]$/g, "");
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: Number(port), rejectUnauthorized: false, timeout: connectMsMax });
    let connected = false;
    socket.once("connect", () => (connected = true));
    socket.once("timeout", () => socket.destroy(Object.assign(new Error("no answer"), { code: "ETIMEDOUT" })));
    socket.once("secureConnect", () => {
      const shown = socket.getPeerX509Certificate()?.toString();
      socket.destroy();
      if (shown === undefined) reject(keyless(server));
      else resolve(shown);
    });
    socket.once("error", (error: NodeJS.ErrnoException) =>
      reject(
        connected && error.code !== "ETIMEDOUT" ? keyless(server, error) : new ConnectionLost(server, false, error),
      ),
    );
  });
}

/** How people compare keys. */
export function fingerprintOf(certificate: string): string {
  const key = new X509Certificate(certificate).publicKey.export({ format: "der", type: "spki" });
  return `SHA256:${createHash("sha256").update(key).digest("base64").replace(/=+$/, "")}`;
}

/** This certificate is trusted, by its fingerprint, and no other is. */
function believeOnly(certificate: string): Trust {
  const { fingerprint256 } = new X509Certificate(certificate);
  return {
    ca: certificate,
    allowPartialTrustChain: true,
    checkServerIdentity: (_host, shown) =>
      shown.fingerprint256 === fingerprint256
        ? undefined
        : Object.assign(new Error("it shows another certificate"), { code: otherCertificate }),
  };
}

function keyless(server: string, cause?: unknown): Failure {
  return new Failure(exit.serverDown, {
    code: "no-key",
    message: `what answers at ${server} does not show the key of a Tessera server; no token was sent`,
    hint: "another program may have taken the port, or the server is older than this tess",
    cause,
  });
}

const otherCertificate = "OTHER_CERTIFICATE";
const untrusted = new Set([
  otherCertificate,
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);
const notTls = new Set(["EPROTO", "ERR_SSL_WRONG_VERSION_NUMBER", "ERR_SSL_PACKET_LENGTH_TOO_LONG"]);

/** Something answers, but it cannot show that it is the server that was meant. Undefined for any other error. */
export function certificateFailureOf(target: Target, error: NodeJS.ErrnoException): Failure | undefined {
  const { server, certificate } = target;
  const code = error.code ?? "";
  if (new URL(server).protocol === "http:") {
    if (notTls.has(code)) return keyless(server, error);
    return untrusted.has(code) && certificate !== undefined ? otherKey(target, certificate, error) : undefined;
  }
  const failure = (message: string, hint: string) =>
    new Failure(exit.serverDown, {
      code: "certificate",
      message: `${server}: ${message} (${code})`,
      hint,
      cause: error,
    });
  if (untrusted.has(code)) {
    return failure(
      "its certificate is signed by an authority that this machine does not trust",
      "name the file of the authority that signed it: NODE_EXTRA_CA_CERTS=ca.pem tess …; for a server without a certificate, write http://",
    );
  }
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    return failure("its certificate is for another name", "use the name in the certificate as the address");
  }
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID") {
    return failure("its certificate is not valid at this time", "the server needs a new one, or this clock is wrong");
  }
  if (notTls.has(code)) return failure("it does not speak TLS", "use http:// if that is what it is meant to speak");
  return undefined;
}

function otherKey({ server, certificateFrom }: Target, certificate: string, cause: unknown): Failure {
  const known = certificateFrom === undefined ? "" : `, which ${certificateFrom} holds`;
  return new Failure(exit.serverDown, {
    code: "other-key",
    message: `what answers at ${server} does not have the key ${fingerprintOf(certificate)}${known}; no token was sent`,
    hint:
      "another program may have taken the port. If the server was given new keys (its owner sees its key with " +
      `tess whoami): tess logout, then tess login ${server}`,
    cause,
  });
}
