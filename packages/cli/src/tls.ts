import { X509Certificate } from "node:crypto";
import type { PeerCertificate, SecureContextOptions } from "node:tls";
import { exit } from "./exit.ts";
import { Failure } from "./failure.ts";

/** For the server of this clone: its own certificate is trusted, by its fingerprint, and no other is. */
export function believeOnly(certificate: string): SecureContextOptions & {
  checkServerIdentity: (host: string, shown: PeerCertificate) => Error | undefined;
} {
  const { fingerprint256 } = new X509Certificate(certificate);
  return {
    ca: certificate,
    allowPartialTrustChain: true,
    checkServerIdentity: (_host, shown) =>
      shown.fingerprint256 === fingerprint256
        ? undefined
        : new Error("it is not the certificate of this clone's server"),
  };
}

const untrusted = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/** A server is there, but it cannot show that it is the one that was meant. Undefined for any other error. */
export function certificateFailureOf(server: string, error: NodeJS.ErrnoException): Failure | undefined {
  const code = error.code ?? "";
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
      "name the file of the authority that signed it: NODE_EXTRA_CA_CERTS=ca.pem tess …",
    );
  }
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    return failure("its certificate is for another name", "use the name in the certificate as the address");
  }
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID") {
    return failure("its certificate is not valid at this time", "the server needs a new one, or this clock is wrong");
  }
  if (code === "EPROTO" || code === "ERR_SSL_WRONG_VERSION_NUMBER") {
    return failure("it does not speak TLS", "use http:// if that is what it is meant to speak");
  }
  return undefined;
}
