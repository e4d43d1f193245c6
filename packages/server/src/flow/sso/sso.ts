import type { People } from "../../access/people.ts";
import type { Vault } from "../../access/vault.ts";
import type { ControlPlane } from "../control.ts";
import { Listings } from "../scim/listings.ts";
import { ScimGroups } from "../scim/scim-groups.ts";
import { ScimPeople } from "../scim/scim-people.ts";
import { Admission } from "./admit.ts";
import type { AnswerLimits } from "./bounded-fetch.ts";
import { Logouts } from "./logout.ts";
import { Parties } from "./parties.ts";
import { SignIns } from "./sign-ins.ts";
import { Turns } from "./turns.ts";

/** Signing in with providers. */
export interface Sso {
  readonly parties: Parties;
  readonly signIns: SignIns;
  readonly admission: Admission;
  readonly logouts: Logouts;
  /** What identity systems may say of people and groups. */
  readonly scim: { readonly listings: Listings; readonly people: ScimPeople; readonly groups: ScimGroups };
}

export function openSso(control: ControlPlane, people: People, vault: Vault, limits?: AnswerLimits): Sso {
  const parties = new Parties(() => ({ state: control.state, reader: control.reader, vault }), limits);
  const turns = new Turns();
  const listings = new Listings(control, people);
  const ground = { control, people, listings, turns };
  return {
    parties,
    signIns: new SignIns(parties),
    admission: new Admission(control, people, listings, turns),
    logouts: new Logouts({ control, people, parties }, limits),
    scim: { listings, people: new ScimPeople(ground), groups: new ScimGroups(ground) },
  };
}
