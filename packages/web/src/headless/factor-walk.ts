import { createHmac } from "node:crypto";
import type { Browser, Page } from "playwright-core";
import type { OwnServer } from "./server.ts";
import { type Look, WatchedPage } from "./watched-page.ts";

/** Keeps a picture of what is shown now. */
export type Keep = (page: Page, name: string) => Promise<void>;

/**
 * A person adds an authenticator app and a passkey, signs in with each, and shows one again before a dangerous act. What
 * is typed is typed key by key; the passkey is Chromium's virtual authenticator.
 */
export async function walkFactors(browser: Browser, server: OwnServer, look: Look, keep: Keep): Promise<WatchedPage> {
  // Passkeys belong to a name, and an address of digits is none.
  const watched = await WatchedPage.open(browser, server.url.replace("127.0.0.1", "localhost"), look);
  const { page } = watched;
  await addAuthenticator(page);
  const signIn = async () => {
    // A connection that the browser opened ahead may have been cut meanwhile, and it tries none again.
    await watched.go("/sign-in").catch(() => watched.go("/sign-in"));
    await page.getByRole("button", { name: "Use a token" }).click();
    await page.getByLabel("Token").pressSequentially(server.ownerToken);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
  };
  const signOut = () => page.evaluate(() => localStorage.clear());

  await signIn();
  await page.locator(".frame").waitFor();
  await watched.go("/people/me");
  await page.getByRole("button", { name: "Add a second factor" }).click();
  await page.getByLabel("Name of the device").pressSequentially("phone");
  await page.getByRole("button", { name: "Use an authenticator app" }).click();
  const secret = ((await page.locator("code.token").textContent()) ?? "").replaceAll(" ", "");
  await keep(page, "factor-app");
  await page.getByLabel("Code that the app shows").pressSequentially(codeOf(secret));
  await page.keyboard.press("Enter");
  await page.getByRole("list", { name: "Recovery codes" }).waitFor();
  await keep(page, "recovery-codes");
  const recovery = (await page.getByRole("list", { name: "Recovery codes" }).locator("li").first().textContent()) ?? "";
  await page.getByRole("button", { name: "I have kept them" }).click();

  await signOut();
  await signIn();
  await page.getByRole("heading", { name: "Second step" }).waitFor();
  await keep(page, "second-step");
  await page.getByLabel("Code of your app").pressSequentially("000000");
  await page.keyboard.press("Enter");
  await page.getByText("The second factor is not right").waitFor();
  await page.getByLabel("Code of your app").pressSequentially(codeOf(secret, 1));
  await page.keyboard.press("Enter");
  await page.locator(".frame").waitFor();

  await watched.go("/people/me");
  await page.getByRole("button", { name: "Add a second factor" }).click();
  await page.getByLabel("Name of the device").pressSequentially("key");
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByRole("listitem").filter({ hasText: "Passkey key" }).waitFor();
  await keep(page, "security");

  await signOut();
  await signIn();
  await page.getByRole("button", { name: "Use a passkey" }).click();
  await page.locator(".frame").waitFor();

  await signOut();
  await watched.go("/sign-in").catch(() => watched.go("/sign-in"));
  await keep(page, "sign-in");
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await page.locator(".frame").waitFor();

  await stepUp(watched, keep);

  await signOut();
  await signIn();
  await page.getByLabel("Code of your app").pressSequentially(recovery);
  await page.keyboard.press("Enter");
  await page.locator(".frame").waitFor();
  return watched;
}

/** As if 5 minutes had passed: the first request is refused, the one after the factor was shown reaches the server. */
async function stepUp({ page }: WatchedPage, keep: Keep): Promise<void> {
  await page.goto(`${new URL(page.url()).origin}/people/me`);
  const body = JSON.stringify({
    code: "step-up-required",
    title: "",
    detail: "",
    status: 403,
    type: "",
    requestId: "",
  });
  await page.route(
    "**/v1/tokens",
    (route) => route.fulfill({ status: 403, contentType: "application/problem+json", body }),
    {
      times: 1,
    },
  );
  await page.getByRole("button", { name: "New token" }).click();
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await page.getByRole("heading", { name: "Show that it is you" }).waitFor();
  await keep(page, "step-up");
  await page.getByRole("button", { name: "Use a passkey" }).click();
  await page.getByRole("heading", { name: "Your new token" }).waitFor();
}

async function addAuthenticator(page: Page): Promise<void> {
  const tools = await page.context().newCDPSession(page);
  await tools.send("WebAuthn.enable");
  await tools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      ...{ protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true },
      ...{ isUserVerified: true, automaticPresenceSimulation: true },
    },
  });
}

/** What an authenticator app shows, now or some steps later [RFC 6238]. */
function codeOf(secret: string, later = 0): string {
  const bits = [...secret].map((letter) =>
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter).toString(2).padStart(5, "0"),
  );
  const key = Buffer.from((bits.join("").match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + later));
  const mac = createHmac("sha1", key).update(counter).digest();
  return String((mac.readUInt32BE(mac[19]! & 0xf) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}
