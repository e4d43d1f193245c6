import {
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
} from "@simplewebauthn/browser";
import type { PasskeyMade, PasskeyShown } from "@tessera/wire";

type Options = Readonly<Record<string, unknown>>;

/** Lets the browser make a passkey; the user may be asked to touch a key or show a finger. */
export async function makePasskey(options: Options): Promise<PasskeyMade> {
  const optionsJSON = options as object as PublicKeyCredentialCreationOptionsJSON;
  const { id, response } = await startRegistration({ optionsJSON });
  const { clientDataJSON, attestationObject, transports } = response;
  return { id, clientDataJSON, attestationObject, ...(transports !== undefined && { transports }) };
}

/** Lets a passkey sign what the server asked for. */
export async function signPasskey(options: Options): Promise<PasskeyShown> {
  const optionsJSON = options as object as PublicKeyCredentialRequestOptionsJSON;
  const { id, response } = await startAuthentication({ optionsJSON });
  const { clientDataJSON, authenticatorData, signature } = response;
  return { id, clientDataJSON, authenticatorData, signature };
}
