import type { Capabilities } from "@tessera/engine";
import type { LocalEngineOptions } from "../options.ts";
import type { Machine } from "./machine.ts";
import { oneUser, onlyTenant, takeOnlyTenant, userOfTenant } from "./tenants.ts";

const usualUsers = { first: 200_000, count: 65_536 };

/** Which tenants may run jobs here, and as which user. */
export class Tenancy {
  readonly #folder: string;
  readonly #isRoot: boolean;
  readonly #options: Pick<LocalEngineOptions, "tenantUsers" | "tenantsShareUser">;
  /** The only tenant, where there can be no other. */
  #only: string | undefined;

  constructor(
    folder: string,
    { isRoot }: Pick<Machine, "isRoot">,
    options: Pick<LocalEngineOptions, "tenantUsers" | "tenantsShareUser">,
  ) {
    this.#folder = folder;
    this.#isRoot = isRoot;
    this.#options = options;
  }

  async recall(): Promise<void> {
    this.#only = await onlyTenant(this.#folder);
  }

  /** For the capabilities of the engine: whether jobs of one tenant alone can run, and of which, once that is known. */
  get oneTenant(): Pick<Capabilities, "oneTenant"> {
    if (!this.#isOne) return {};
    return { oneTenant: { ...oneUser, ...(this.#only === undefined ? {} : { tenant: this.#only }) } };
  }

  async refusalOf(tenant: string): Promise<string | undefined> {
    if (!this.#isOne) return undefined;
    this.#only ??= await takeOnlyTenant(this.#folder, tenant);
    if (this.#only === tenant) return undefined;
    return `another tenant runs jobs here, and ${oneUser.why}; ${oneUser.hint}`;
  }

  /** The user id under which its jobs run, where we may become another user. */
  async userOf(tenant: string): Promise<{ readonly user?: number }> {
    if (!this.#isRoot) return {};
    return { user: await userOfTenant(this.#folder, tenant, this.#options.tenantUsers ?? usualUsers) };
  }

  get #isOne(): boolean {
    return !this.#isRoot && this.#options.tenantsShareUser !== true;
  }
}
