import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";
import { visitForms } from "./visit-forms.ts";

/** The `oidc-provider` package on loopback, with its own sign-in and consent pages. Everyone's name is their subject. */
export async function startOidcProvider(redirectUri: string) {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const secret = "a secret of the test's own client";
  const provider = new Provider(issuer, {
    clients: [
      {
        ...{ client_id: "tessera", client_secret: secret, redirect_uris: [redirectUri], response_types: ["code"] },
        grant_types: ["authorization_code"],
      },
    ],
    cookies: { keys: ["of the test"] },
    pkce: { required: () => true },
    claims: { openid: ["sub"], profile: ["preferred_username", "groups"], email: ["email"] },
    findAccount: (_context: unknown, id: string) => ({
      accountId: id,
      claims: async () => ({ sub: id, preferred_username: id, groups: ["ml"], email: `${id}@example.org` }),
    }),
  });
  provider.on("server_error", (_context: unknown, error: Error) => console.error(error));
  server.on("request", provider.callback());
  return {
    issuer,
    secret,
    /** Types the name on each page until the provider sends the browser back; answers the query. */
    visit: (url: string, login: string) => visitForms(url, redirectUri, { login, password: "any" }),
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
