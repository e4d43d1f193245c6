import type { Grant } from "@tessera/wire";
import type { Command } from "commander";
import { usageFailure } from "../../failure.ts";
import { examples } from "../../help.ts";
import { grantText, secretAccount, volume } from "../../nouns/access.ts";
import type { Session } from "../../session.ts";

interface GrantFlags {
  readonly account?: string;
  readonly write?: boolean;
  readonly to?: string[];
  readonly role?: string[];
  readonly trust?: string[];
  readonly region?: string[];
  readonly purpose?: string[];
}

/** `grant` and `revoke`: which jobs may mount a volume. */
export function defineGrants(command: Command, session: Session): void {
  const accountText = "the account that has it; default: your project";
  const grant = command
    .command("grant")
    .summary("let jobs mount a volume, by account, role, trust, region and purpose")
    .description(
      "Adds a grant to a volume. Of one grant all that is said must hold; of several, any is enough. The first grant\n" +
        "replaces the usual rule that all jobs of the account and below may mount it.",
    )
    .argument("<name>", "the volume")
    .option("--write", "jobs may write; without it they only read")
    .option("--to <account...>", "jobs of these accounts and below; default: of the volume's account")
    .option("--role <role...>", "the user has one of these roles at the job's account")
    .option("--trust <level...>", "the job's tenant is confidential, untrusted or trusted")
    .option("--region <region...>", "the job stays in one of these regions")
    .option("--purpose <purpose...>", "the job says that it is for one of these")
    .option("--account <account>", accountText);
  examples(grant, ["tess volume grant scans --account lab --to lab/vision --region eu --purpose training"]);
  grant.action(async (name: string, flags: GrantFlags) => {
    const { grants, ...known } = await grantsOf(session, name, flags.account);
    const added = {
      access: flags.write === true ? "write" : "read",
      ...(flags.to !== undefined && { accounts: flags.to }),
      ...(flags.role !== undefined && { roles: flags.role }),
      ...(flags.trust !== undefined && { trust: flags.trust }),
      ...(flags.region !== undefined && { regions: flags.region }),
      ...(flags.purpose !== undefined && { purposes: flags.purpose }),
    } as Grant; // the server checks the words
    await put(session, known, [...(grants ?? []), added]);
    if (session.readable) await session.print(`${session.paint("bold", name)}: ${grantText(added)}\n`);
  });

  const revoke = command
    .command("revoke")
    .summary("take grants of a volume back")
    .description(
      "Takes grants of a volume back, by the numbers that tess volume describe shows. Jobs that run keep their mounts.\n" +
        "With --all the usual rule holds again: jobs of the account and below may mount it.",
    )
    .argument("<name>", "the volume")
    .argument("[number...]", "grants")
    .option("--all", "all of them")
    .option("--account <account>", accountText);
  examples(revoke, ["tess volume revoke scans 2 --account lab"]);
  revoke.action(async (name: string, numbers: string[], flags: { account?: string; all?: boolean }) => {
    const { grants = [], ...known } = await grantsOf(session, name, flags.account);
    if (flags.all === true) await put(session, known, null);
    else {
      const gone = new Set(numbers.map(Number));
      const wrong = numbers.find((text) => grants[Number(text) - 1] === undefined);
      if (numbers.length === 0 || wrong !== undefined)
        throw usageFailure(
          wrong === undefined ? "which grants?" : `${name} has no grant ${wrong}`,
          `it has ${grants.length}: tess volume describe ${name} --account ${known.at.account}`,
        );
      const kept = grants.filter((_, i) => !gone.has(i + 1));
      await put(session, known, kept);
    }
    if (session.readable) await session.print(`${session.paint("bold", name)}: taken back\n`);
  });
}

async function grantsOf(session: Session, name: string, given: string | undefined) {
  const account = await secretAccount(session, { account: given });
  const { grants, revision } = await volume.load(session, name, { account });
  return { at: { account, volume: name }, grants, ...(revision !== undefined && { ifMatch: revision }) };
}

type Known = Omit<Awaited<ReturnType<typeof grantsOf>>, "grants">;

/** Replaces the grants that were read; none that others have changed since. */
async function put(session: Session, { at, ifMatch }: Known, grants: Grant[] | null): Promise<void> {
  const known = ifMatch === undefined ? {} : { ifMatch };
  await (await session.api()).call("putGrants", { at, body: { grants }, ...known });
}
