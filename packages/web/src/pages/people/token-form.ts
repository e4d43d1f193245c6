import type { TokenCreate } from "@tessera/wire";
import { readDuration } from "@tessera/wire/duration";
import { readWords } from "../../format/pairs.ts";

/** A token as it is typed. */
export interface TokenDraft {
  readonly label: string;
  /** Empty: as long as the policy allows. */
  readonly life: string;
  /** Empty: wherever its user may act. */
  readonly account: string;
  readonly networks: string;
  readonly scopes: string;
}

export const noToken: TokenDraft = { label: "", life: "90d", account: "", networks: "", scopes: "" };

type Wrong = Readonly<Partial<Record<"life" | "networks" | "scopes", string>>>;

/** What is wrong with what was typed, by field; the server knows the actions and the networks. */
export function wrongInToken({ life, networks, scopes }: TokenDraft): Wrong {
  const badScope = readWords(scopes).find((word) => !/^[a-z]+\.[a-z]+$/.test(word));
  const badNetwork = readWords(networks).find((word) => !/^[0-9a-fA-F.:]{2,45}(\/\d{1,3})?$/.test(word));
  return {
    ...(life.trim() !== "" &&
      readDuration(life.trim()) === undefined && { life: `${life} is not a duration: type 90d.` }),
    ...(badNetwork !== undefined && { networks: `${badNetwork} is not a network: type 10.1.0.0/16.` }),
    ...(badScope !== undefined && { scopes: `${badScope} is not an action: type job.read.` }),
  };
}

/** A token as the API takes it; what is empty is left out. */
export function tokenBody({ label, life, account, networks, scopes }: TokenDraft): TokenCreate {
  const [nets, actions] = [readWords(networks), readWords(scopes)];
  return {
    ...(label.trim() !== "" && { label: label.trim() }),
    ...(life.trim() !== "" && { expiresIn: life.trim() }),
    ...(account !== "" && { account }),
    ...(nets.length > 0 && { networks: nets }),
    ...(actions.length > 0 && { scopes: actions }),
  };
}

/** The same on the command line; of another user's token, with the user. */
export function tokenWords(body: TokenCreate, user: string | undefined): string[] {
  const { label, expiresIn, account, networks = [], scopes = [] } = body;
  return [
    ...["token", "create"],
    ...(user === undefined ? [] : ["--user", user]),
    ...(label === undefined ? [] : ["--label", label]),
    ...(scopes.length === 0 ? [] : ["--scope", ...scopes]),
    ...(account === undefined ? [] : ["--account", account]),
    ...(networks.length === 0 ? [] : ["--network", ...networks]),
    ...(expiresIn === undefined ? [] : ["--expires-in", expiresIn]),
  ];
}
