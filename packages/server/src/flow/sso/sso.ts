import type { People } from "../../access/people.ts";
import type { Vault } from "../../access/vault.ts";
import type { ControlPlane } from "../control.ts";
import { Admission } from "./admit.ts";
import type { AnswerLimits } from "./bounded-fetch.ts";
import { Logouts } from "./logout.ts";
import { Parties } from "./parties.ts";
import { SignIns } from "./sign-ins.ts";

/** Signing in with providers. */
export interface Sso {
  readonly parties: Parties;
  readonly signIns: SignIns;
  readonly admission: Admission;
  readonly logouts: Logouts;
}

export function openSso(control: ControlPlane, people: People, vault: Vault, limits?: AnswerLimits): Sso {
  const parties = new Parties(() => ({ state: control.state, reader: control.reader, vault }), limits);
  return {
    parties,
    signIns: new SignIns(parties),
    admission: new Admission(control, people),
    logouts: new Logouts({ control, people, parties }, limits),
  };
}
