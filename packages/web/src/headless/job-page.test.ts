import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Browser } from "playwright-core";
import { seriousViolations } from "./axe.ts";
import { openChromium } from "./chromium.ts";
import { OwnServer } from "./server.ts";
import { WatchedPage } from "./watched-page.ts";

const built = existsSync(new URL("../../bundle/index.html", import.meta.url));
const chromium = built ? await openChromium() : { missing: "the console is not built; npm test builds it" };
const missing = "missing" in chromium ? chromium.missing : undefined;
const browser = chromium as Browser;

/** Prints like a training: every rank by turns, in colour, with a progress bar, and an error in the middle. */
const printing = [
  "sleep $TESS_RANK",
  "for i in $(seq 1 200); do echo step-$i of-$TESS_RANK; done",
  "printf '\\033[31mred-words\\033[0m\\n'",
  "printf '10%%\\r50%%\\r100%% done\\n'",
  "echo 'RuntimeError: CUDA error: an illegal memory access'",
  "while true; do sleep 1; echo more; done",
].join("; ");

describe("the page of a job in a real browser", { skip: missing }, () => {
  const server = new OwnServer("--virtual", "2x4:H100");
  before(async () => {
    await server.start();
    await server.call("createAccount", { body: { path: "lab", guarantee: 4 } });
  });
  after(async () => {
    await browser.close();
    await server.end();
  });
  const submit = (body: object) => server.call("submitJob", { body: { project: "lab", ...body } as never });
  const signedIn = async () => {
    const watched = await WatchedPage.open(browser, server.url);
    await watched.signInWithToken(server.ownerToken);
    return watched;
  };

  it("merges ranks by time, lets go of the end where a reader scrolls up, and shows times in one zone", async () => {
    const { id } = await submit({ name: "prints", gpus: 1, nodes: 2, run: printing });
    const watched = await signedIn();
    const { page } = watched;
    await watched.go(`/jobs/${id}/logs`);
    const log = page.getByRole("region", { name: "Log" });
    await log.getByText("more").first().waitFor();
    assert.equal(await page.title(), "prints · Tessera");
    await page.getByLabel("Find in the log").click();
    await page.keyboard.type("red-words");
    await page.getByRole("button", { name: "only matches" }).click();
    await page.getByText("2 lines", { exact: false }).waitFor();
    await log.locator(".red").getByText("red-words").first().waitFor();
    assert.doesNotMatch((await log.textContent()) ?? "", /\[31m|\[0m/);
    await page.getByLabel("Find in the log").click();
    await page.keyboard.press("Control+A");
    await page.keyboard.type("done");
    await log.getByText("100% done", { exact: true }).first().waitFor();
    await page.keyboard.press("Control+A");
    await page.keyboard.type("step-");
    await page.getByText("400 lines").waitFor();
    await log.evaluate((box) => box.scrollTo(0, 0));
    // Whichever rank the machine let run first.
    await log
      .getByText(/^step-1 of-[01]$/)
      .first()
      .waitFor();
    const times = await log.locator(".line .at").evaluateAll((all) => all.map((each) => each.textContent ?? ""));
    assert.deepEqual(times, [...times].sort());

    await page.getByLabel("Find in the log").press("Control+A");
    await page.keyboard.press("Delete");
    await page.getByRole("button", { name: "next error" }).click();
    await log.locator(".marked").getByText("RuntimeError").waitFor();
    assert.match(page.url(), /line=/);
    const stays = await log.evaluate((box) => box.scrollTop);
    await page.waitForTimeout(2_500);
    assert.equal(await log.evaluate((box) => box.scrollTop), stays);
    await page.reload();
    await log.locator(".marked").getByText("RuntimeError").waitFor();

    await page.getByLabel("Rank", { exact: true }).selectOption("columns");
    // By the search: where the line lies among the others depends on how fast each rank was.
    await page.getByLabel("Find in the log").click();
    await page.keyboard.type("step-1 of-1");
    await log.locator(".in-columns").getByText("step-1 of-1", { exact: true }).waitFor();
    const before = await page.getByText(/runs for/).textContent();
    await page.waitForFunction((was) => !document.body.textContent?.includes(was ?? ""), before);
    await page.getByRole("banner").locator("button[popovertarget]").click();
    await page.getByRole("button", { name: "UTC", exact: true }).click();
    await page.getByText(/times in UTC/).waitFor();
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });

  it("finds errors and texts in all of a long log, and keeps a reader's place while the oldest lines go", async () => {
    const early = "echo 'RuntimeError: early' >&2; echo needle-early; for i in $(seq 1 30000); do echo n-$i; done";
    const { id } = await submit({ name: "long", gpus: 0, run: `${early}; echo needle-late; exit 3` });
    const { id: printing } = await submit({
      ...{ name: "on-and-on", gpus: 0 },
      run: "seq 1 30000; while true; do seq 1 300; sleep 0.2; done",
    });
    while ((await server.call("getJob", { at: { job: id } })).state !== "ended") await sleep(200);
    const watched = await signedIn();
    const { page } = watched;
    const log = page.getByRole("region", { name: "Log" });
    await watched.go(`/jobs/${id}/logs`);
    await page.getByText(/^the newest 5,000 lines/).waitFor();
    await page.getByRole("button", { name: /Last error.*RuntimeError: early/ }).click();
    await log.locator(".marked.stderr").getByText("RuntimeError: early").waitFor();
    await log.getByText("n-1", { exact: true }).waitFor();
    await page.reload();
    await log.locator(".marked").getByText("RuntimeError: early").waitFor();
    await page.getByRole("button", { name: "newest lines" }).click();
    await page.getByText(/^the newest 5,000 lines/).waitFor();
    await page.getByRole("button", { name: "next error" }).click();
    await log.locator(".marked").getByText("RuntimeError: early").waitFor();
    await page.getByLabel("Find in the log").click();
    await page.keyboard.type("NEEDLE");
    await page.keyboard.press("Enter");
    await log.locator(".marked").getByText("needle-early").waitFor();
    await page.keyboard.press("Enter");
    await log.locator(".marked").getByText("needle-late").waitFor();
    await page.keyboard.press("Shift+Enter");
    await log.locator(".marked").getByText("needle-early").waitFor();
    await page.getByRole("button", { name: "previous match" }).click();
    await page.getByText("No earlier line has “NEEDLE”.").waitFor();

    await watched.go(`/jobs/${printing}/logs`);
    await page.getByRole("button", { name: "earlier lines" }).click();
    await page.getByText(/^the newest 20,000 lines/).waitFor();
    await log.evaluate((box) => box.scrollTo(0, box.scrollHeight - 6_000));
    const atEdge = () =>
      log.evaluate((box) => {
        const { top } = box.getBoundingClientRect();
        const line = [...box.querySelectorAll(".line")].find((each) => each.getBoundingClientRect().bottom > top + 1);
        return `${line?.querySelector(".at")?.getAttribute("title")} ${line?.textContent}`;
      });
    await page.waitForTimeout(300); // until the lines there are drawn
    const seen = await atEdge();
    await page.waitForTimeout(1_500);
    assert.equal(await atEdge(), seen);
    await page.getByRole("button", { name: "wrap" }).click();
    await page.getByRole("button", { name: "follow" }).click();
    await page.waitForFunction(() => {
      const box = document.querySelector(".log")!;
      return box.scrollHeight - box.scrollTop - box.clientHeight < 40;
    });
    await server.call("cancelJob", { at: { job: printing }, body: {} });
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });

  it("compares a run with the one before, also where there were many since", async () => {
    const run = (last: string) => `echo same at $RANDOM:; echo loss 0.5; ${last}`;
    const again = async (last: string) => {
      const { id } = await submit({ name: "repeated", gpus: 0, run: run(last) });
      while ((await server.call("getJob", { at: { job: id } })).state !== "ended") await sleep(100);
      return id;
    };
    const first = await again("echo done");
    const second = await again("echo 'RuntimeError: nan'; exit 3");
    const later = { name: "repeated", gpus: 0, run: "true", not_before: "2100-01-01T00:00:00Z" };
    const since = await Promise.all(Array.from({ length: 55 }, () => submit(later)));
    const watched = await signedIn();
    const { page } = watched;
    await watched.go(`/jobs/${second}/spec`);
    await page.getByRole("heading", { name: `Compared with ${first}` }).waitFor();
    await page.getByRole("link", { name: "Compare", exact: true }).click();
    await page.waitForURL(({ searchParams }) => searchParams.get("a") === first && searchParams.get("b") === second);
    await page.getByText("RuntimeError: nan", { exact: true }).waitFor();
    await page.locator(".spec .gone", { hasText: "- done" }).waitFor();
    await page.locator(".spec .came", { hasText: "+ RuntimeError: nan" }).waitFor();
    await page.getByText("failed", { exact: true }).waitFor();
    await page.getByRole("list", { name: "Phases of run B" }).waitFor();
    await watched.go(`/compare?b=${first}`);
    await page.getByText("There is no run of repeated before it").first().waitFor();
    await Promise.all(since.map(({ id }) => server.call("cancelJob", { at: { job: id }, body: {} })));
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });

  it("says what would help a held job, one that waits for another, and one whose nodes are closed", async () => {
    const first = await submit({ name: "first", gpus: 1, run: "sleep 600" });
    const second = await submit({ name: "second", gpus: 1, run: "sleep 600", after: [first.id] });
    const soon = await submit({
      name: "soon",
      run: "true",
      gpus: 1,
      not_before: new Date(Date.now() + 3_600_000).toISOString(),
    });
    const watched = await signedIn();
    const { page } = watched;
    await watched.go(`/jobs/${second.id}/why`);
    await page.getByText("jobs before it").waitFor();
    await page.locator(".waterfall .passed").getByText("exists in the fleet").waitFor();
    await page.locator(".waterfall .failing").getByRole("link", { name: "first" }).click();
    await page.waitForURL(new RegExp(`/jobs/${first.id}`));
    await watched.go(`/jobs/${soon.id}/why`);
    await page
      .locator(".waterfall .failing")
      .getByText(/until .* \(in 59m|until .* \(in 1h/)
      .waitFor();
    const far = await submit({ name: "far-off", run: "true", gpus: 1, not_before: "2100-01-01T12:00:00Z" });
    await watched.go(`/jobs/${far.id}/why`);
    await page
      .locator(".waterfall .failing")
      .getByText(/until Jan 1, 2100, \d\d:\d\d$/)
      .waitFor();
    await page.locator(".alternative", { hasText: "not_before: none instead of Jan 1, 2100" }).waitFor();
    await server.call("holdJob", { at: { job: second.id }, body: {} });
    await watched.go(`/jobs/${second.id}/why`);
    await page.locator(".alternative").getByRole("button", { name: "Release" }).click();
    await page.getByText(/ may start\.$/).waitFor();
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });

  it("shows an array as squares by index, and the way back from an element", async () => {
    const { id } = await submit({ name: "sweep", array: "1-12%2", run: "sleep 600", gpus: 0 });
    const watched = await signedIn();
    const { page } = watched;
    await watched.go(`/jobs/${id}`);
    const squares = page.getByRole("list", { name: "Elements by outcome" }).getByRole("link");
    await squares.nth(11).waitFor();
    assert.deepEqual(
      (await squares.allTextContents()).map((text) => Number(text.split(":")[0])),
      Array.from({ length: 12 }, (_, i) => i + 1),
    );
    assert.deepEqual(await seriousViolations(page), []);
    while ((await server.call("getJob", { at: { job: id } })).state !== "running") await sleep(100);
    await page.getByRole("button", { name: "Hold", exact: true }).click();
    await page.getByRole("button", { name: "Release", exact: true }).waitFor();
    await squares.nth(0).click();
    await page.getByRole("link", { name: `element 1 of ${id}` }).click();
    await page.waitForURL(new RegExp(`/jobs/${id}$`));
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });

  it("shows the fleet and the queue as they were, and the address keeps the moment", async () => {
    await submit({ name: "before", gpus: 0, run: "sleep 600" });
    const wide = await submit({ name: "too-wide", gpus: 4, nodes: 2, run: "sleep 600" });
    const at = new Date().toISOString();
    await server.call("cancelJob", { at: { job: wide.id }, body: {} });
    const watched = await signedIn();
    const { page } = watched;
    await watched.go(`/queue?at=${at}`);
    const bar = page.getByRole("region", { name: "Moment" });
    await bar.getByText(/row \d+ of the journal/).waitFor();
    await page.getByRole("region", { name: "Waiting jobs" }).getByText("too-wide").waitFor();
    await bar.getByRole("button", { name: "Now" }).click();
    await bar.waitFor({ state: "detached" });
    await page.getByText("too-wide").waitFor({ state: "detached" });
    await watched.go(`/fleet?at=${at}`);
    await bar.getByText(/row \d+ of the journal/).waitFor();
    await page.getByText("Largest gang that fitted").waitFor();
    await bar.getByRole("slider").press("Home");
    await page.waitForURL((url) => url.searchParams.get("at") !== at);
    await bar.getByText(/row \d+ of the journal/).waitFor();
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });

  it("changes a waiting job, suspends, requeues and checks a running one, and fetches what one kept", async () => {
    const run = 'if [ "$TESS_RANK" = 0 ]; then echo result-of-it > result.txt; fi';
    const kept = { name: "keeps", gpus: 0, nodes: 2, run, outputs: { results: "*.txt" } };
    const { id: keeps } = await submit(kept);
    const { id: runs } = await submit({ name: "works", gpus: 1, run: "sleep 600" });
    const { id: waits } = await submit({ name: "later", gpus: 2, run: "true", not_before: "2100-01-01T00:00:00Z" });
    const stateOf = async (job: string) => (await server.call("getJob", { at: { job } })).state;
    const until = async (job: string, state: string) => {
      while ((await stateOf(job)) !== state) await sleep(100);
    };
    const watched = await signedIn();
    const { page } = watched;
    await watched.go(`/jobs/${waits}`);
    await page.getByRole("button", { name: "Change", exact: true }).click();
    await page.getByLabel("GPUs of each member").click();
    await page.keyboard.press("Control+A");
    await page.keyboard.type("nonsense");
    await page.getByRole("button", { name: "Change it" }).click();
    await page.locator("dialog .wrong").waitFor();
    await page.getByLabel("GPUs of each member").click();
    await page.keyboard.press("Control+A");
    await page.keyboard.type("1");
    await page.getByLabel("Longest run").click();
    await page.keyboard.type("2h");
    await page.getByRole("button", { name: "Change it" }).click();
    await page.getByText("later was changed.").waitFor();
    const specOf = async (job: string) => (await server.call("getJob", { at: { job } })).spec;
    const { gpus, max_time } = await specOf(waits);
    assert.deepEqual([gpus, max_time], [1, "2h"]);

    await page.getByRole("button", { name: "Change", exact: true }).click();
    await page.getByLabel("Longest run").click();
    await page.keyboard.press("Control+A");
    await page.keyboard.type("3h");
    await server.call("editJob", { at: { job: waits }, body: { set: { priority: 7 } } });
    const dialog = page.getByRole("dialog");
    await dialog.getByText("changed by someone else while you typed: Priority 7 now").waitFor();
    await dialog.getByRole("button", { name: "Change it", disabled: true }).waitFor();
    assert.doesNotMatch(await dialog.locator("code").innerText(), /priority/);
    await dialog.getByRole("button", { name: "Go on with mine" }).click();
    await page.getByLabel("Longest run").click();
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    const after = await specOf(waits);
    assert.deepEqual([after.priority, after.max_time], [7, "3h"]);

    await until(runs, "running");
    await watched.go(`/jobs/${runs}/logs`);
    await page.getByText("Nothing printed yet").waitFor();
    await watched.go(`/jobs/${runs}/placement`);
    await page.getByRole("button", { name: "Check its GPUs" }).click();
    await page
      .locator(".toasts")
      .getByText(/is being checked|cannot/)
      .waitFor();
    await page.getByRole("button", { name: "Requeue", exact: true }).click();
    await page.getByText("It declares no checkpoint: what is not saved").waitFor();
    await page.getByRole("button", { name: "Requeue it" }).click();
    await page.getByText("goes back to the queue").waitFor();
    while ((await server.call("getJob", { at: { job: runs } })).attempt < 2) await sleep(100);
    await until(runs, "running");
    await page.getByRole("button", { name: "Suspend", exact: true }).click();
    await page.getByRole("button", { name: "Suspend it" }).click();
    await page.getByRole("button", { name: "Release", exact: true }).first().waitFor();

    await until(keeps, "ended");
    await watched.go(`/jobs/${keeps}/files`);
    await page.getByText("1 file kept").waitFor();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download" }).click();
    const saved = await (await download).path();
    assert.equal(readFileSync(saved, "utf8"), "result-of-it\n");
    await page.getByLabel("Find a file").click();
    await page.keyboard.type("zzz");
    await page.getByText("No file matches").waitFor();
    await page.getByRole("combobox", { name: "Rank" }).selectOption("1");
    await page.getByText("Rank 1 kept no files").waitFor();
    assert.equal(await page.locator(".skeleton").count(), 0, "nothing is waited for");
    assert.deepEqual(
      watched.complaints.filter((words) => !/Failed to load resource/.test(words)),
      [],
    );
    await watched.close();
  });

  it("plans maintenance of a node, and cancels it", async () => {
    const watched = await signedIn();
    const { page } = watched;
    const { items } = await server.call("listNodes");
    await watched.go(`/nodes/${items[0]!.name}`);
    await page.getByRole("button", { name: "Plan maintenance" }).click();
    await page.getByLabel(/^From \(/).focus();
    await page.keyboard.type("01012100");
    await page.keyboard.press("Tab");
    await page.keyboard.type("0900AM");
    await page.getByLabel(/^To \(/).focus();
    await page.keyboard.type("01012100");
    await page.keyboard.press("Tab");
    await page.keyboard.type("1100AM");
    await page.getByRole("button", { name: "Plan it" }).click();
    await page.getByText("Jan 1, 2100, 09:00 to Jan 1, 2100, 11:00", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Cancel maintenance" }).click();
    await page.getByRole("button", { name: "Cancel the maintenance" }).click();
    await page.getByText("None is planned.").waitFor();
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });

  it("takes back what can be taken back while the message stands", async () => {
    const { id } = await submit({ name: "mistaken", gpus: 1, run: "true", not_before: "2100-01-01T00:00:00Z" });
    const watched = await signedIn();
    const { page } = watched;
    const undo = async (then: string) => {
      await page.locator(".toasts").getByRole("button", { name: "Undo" }).click();
      await page.locator(".toasts").getByText(then).waitFor();
    };
    const job = () => server.call("getJob", { at: { job: id } });
    await watched.go(`/jobs/${id}`);
    await page.getByRole("button", { name: "Hold", exact: true }).click();
    await undo("mistaken may start.");
    assert.equal((await job()).held, false);
    await page.getByRole("button", { name: "Add a label" }).click();
    await page.keyboard.type("sweep=wrong");
    await page.keyboard.press("Enter");
    await undo("1 job has the labels of before.");
    assert.equal((await job()).labels, undefined);

    const { items } = await server.call("listNodes");
    const node = items[0]!.name;
    const modeOf = async () => (await server.call("getNode", { at: { node } })).mode;
    await watched.go(`/nodes/${node}`);
    await page.getByRole("button", { name: "Cordon", exact: true }).click();
    await page.getByLabel("Reason").click();
    await page.keyboard.type("fan");
    await page.getByRole("button", { name: "Cordon it" }).click();
    await undo(`${node} takes work again.`);
    assert.equal(await modeOf(), "up");
    await server.call("cordonNode", { at: { node }, body: { reason: "fan" } });
    await page.getByRole("button", { name: "Take work again" }).click();
    await undo(`${node} is cordoned.`);
    const { mode, reason } = await server.call("getNode", { at: { node } });
    assert.deepEqual([mode, reason], ["cordoned", "fan"]);
    await server.call("upNode", { at: { node }, body: {} });
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });

  it("shows the times in what the server says in the reader's zone, also in refusals", async () => {
    const { id } = await submit({ name: "far", gpus: 1, run: "true", not_before: "2100-01-01T00:00:00Z" });
    const watched = await WatchedPage.open(browser, server.url, { timezoneId: "Asia/Tokyo" });
    const { page } = watched;
    await watched.signInWithToken(server.ownerToken);
    await page.route("**/explain", async (route) => {
      const answer = await (await route.fetch()).json();
      answer.reason.detail = "Engine east is out of reach since 2026-11-16T05:20:48Z.";
      await route.fulfill({ json: answer });
    });
    const raw = /\dT\d\d:\d\d:\d\d(\.\d+)?Z/;
    await watched.go(`/jobs/${id}/why`);
    await page.getByRole("heading", { name: /since Nov 16, 14:20|since 14:20/ }).waitFor();
    assert.doesNotMatch(await page.locator("main").innerText(), raw);
    await watched.go(`/queue?job=${id}`);
    await page
      .locator(".chosen")
      .getByText(/since .*14:20/)
      .waitFor();

    await watched.go("/quota/lab");
    await page.getByLabel("Guarantee (GPUs)").click();
    await page.keyboard.press("Control+A");
    await page.keyboard.type("3");
    // By keys: a click would begin at the part of the time that it hits.
    await page.getByLabel("Overcommit").focus();
    await page.keyboard.press("Tab");
    await page.keyboard.type("01012020");
    await page.keyboard.press("Tab");
    await page.keyboard.type("0930AM");
    assert.equal(await page.getByLabel("Only until (Asia/Tokyo)").inputValue(), "2020-01-01T09:30");
    await page.getByRole("button", { name: "Save" }).click();
    const refusal = page.locator(".toasts").getByText(/is not after/);
    await refusal.waitFor();
    assert.match((await refusal.textContent()) ?? "", /Jan 1, 2020, 09:30/);
    assert.doesNotMatch((await refusal.textContent()) ?? "", raw);
    await page.getByRole("banner").getByRole("button", { name: "owner" }).click();
    await page.getByRole("button", { name: "UTC", exact: true }).click();
    assert.equal(await page.getByLabel("Only until (UTC)").inputValue(), "2020-01-01T00:30", "the same moment");

    const sessions = (await server.call("listTokens")).items.filter(({ prefix }) => prefix.startsWith("sess_"));
    const newest = sessions.sort((one, other) => (one.createdAt < other.createdAt ? 1 : -1))[0]!;
    await server.call("revokeToken", { at: { token: newest.id } });
    await page.getByText("You were signed out:").waitFor();
    assert.doesNotMatch(await page.locator("main").innerText(), raw);
    await watched.close();
  });
});
