import type { ProviderPreview, ProviderPut, ProviderShape } from "@tessera/wire";
import { tess } from "../../format/command.ts";
import { count } from "../../format/numbers.ts";
import { readWords } from "../../format/pairs.ts";

type Rule = NonNullable<ProviderPut["rules"]>[number];

/** A provider as it is typed, without its secret. */
export interface ProviderDraft {
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly label: string;
  readonly scopes: string;
  readonly groupsClaim: string;
  readonly acr: string;
  readonly scimClaim: string;
  readonly rules: readonly Rule[];
}

/** What a new provider has where nothing else is typed. */
const usual = { scopes: "profile email", groupsClaim: "groups", acr: "", scimClaim: "sub" };

export function providerDraftOf(provider: ProviderShape | undefined): ProviderDraft {
  if (provider === undefined) return { name: "", issuer: "", clientId: "", label: "", ...usual, rules: [] };
  const { name, issuer, clientId, label, groupsClaim, scimClaim, rules } = provider;
  return {
    ...{ name, issuer, clientId, label, groupsClaim, scimClaim },
    ...{ scopes: provider.scopes.join(" "), acr: provider.acr.join(" "), rules: rules as Rule[] },
  };
}

type Wrong = Readonly<Partial<Record<"name" | "issuer" | "clientId" | "rules", string>>>;

/** What is wrong with what was typed, by field. Nothing is wrong with what is still empty. */
export function wrongInProvider({ name, issuer, clientId, rules }: ProviderDraft): Wrong {
  const empty = rules.findIndex(({ group }) => group.trim() === "");
  return {
    ...(name !== "" &&
      !/^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/.test(name) && {
        name: `${name} is not a name: use lower-case letters, digits and -, at most 40.`,
      }),
    ...(issuer !== "" &&
      !/^https?:\/\/\S+$/.test(issuer) && { issuer: `${issuer} is not an address: it begins with https://.` }),
    ...(/\s/.test(clientId) && { clientId: "It has no spaces." }),
    ...(empty >= 0 && { rules: `Rule ${empty + 1} names no group.` }),
  };
}

/** What is set: all of a new provider, or what was changed of one; what others changed meanwhile stays. */
export function providerBody(draft: ProviderDraft, before: ProviderDraft | undefined, secret: string): ProviderPut {
  const isNew = before === undefined;
  const said = <Field extends keyof ProviderDraft>(field: Field) =>
    isNew ? draft[field] !== "" : JSON.stringify(draft[field]) !== JSON.stringify(before[field]);
  const { issuer, clientId, label, groupsClaim, scimClaim } = draft;
  return {
    ...(said("issuer") && { issuer }),
    ...(said("clientId") && { clientId }),
    ...(secret !== "" && { clientSecret: secret }),
    ...(said("label") && { label }),
    ...(said("scopes") && { scopes: readWords(draft.scopes) }),
    ...(said("groupsClaim") && { groupsClaim }),
    ...(said("acr") && { acr: readWords(draft.acr) }),
    ...(said("scimClaim") && { scimClaim }),
    ...(said("rules") && (!isNew || draft.rules.length > 0) && { rules: [...draft.rules] }),
  };
}

/** The same on the command line. FILE stands for the secret. */
export function providerCommand(name: string, body: ProviderPut): string {
  const one = (flag: string, value: string | undefined) => (value === undefined ? [] : [flag, value]);
  const each = (flag: string, values: readonly string[] = []) => values.flatMap((value) => [flag, value]);
  const rules = (body.rules ?? []).map(
    ({ group, role, account }) => `${group}=${role}${account === "" ? "" : `@${account}`}`,
  );
  return tess([
    ...["provider", "add", name || "NAME"],
    ...one("--issuer", body.issuer),
    ...one("--client-id", body.clientId),
    ...(body.clientSecret === undefined ? [] : ["--client-secret-file", "FILE"]),
    ...one("--label", body.label),
    ...each("--scope", body.scopes),
    ...one("--groups-claim", body.groupsClaim),
    ...each("--acr", body.acr),
    ...one("--scim-claim", body.scimClaim),
    ...each("--rule", rules),
  ]);
}

const shownMax = 8;

/** Whose roles the rules would change. */
export function ruleEffects({ users, more }: ProviderPreview): { text: string; bad: boolean }[] {
  if (users.length === 0) return [{ text: "No one's roles change.", bad: false }];
  const words = (held: ProviderPreview["users"][number]["gains"]) =>
    held.map(({ role, account }) => `${role} of ${account === "" ? "the platform" : account}`).join(", ");
  const shown = users.slice(0, shownMax).map(({ name, gains, loses }) => ({
    text: [
      ...(loses.length > 0 ? [`${name} loses ${words(loses)} at once`] : []),
      ...(gains.length > 0 ? [`${name} gains ${words(gains)} at the next sign-in`] : []),
    ].join("; "),
    bad: loses.length > 0,
  }));
  const rest = more + users.length - shown.length;
  return rest === 0 ? shown : [...shown, { text: `${count(rest, "more user")} would change.`, bad: false }];
}
