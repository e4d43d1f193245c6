import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import { seriousViolations } from "./axe.ts";
import { openChromium } from "./chromium.ts";
import { OwnServer } from "./server.ts";
import { WatchedPage } from "./watched-page.ts";

const built = existsSync(new URL("../../bundle/index.html", import.meta.url));
const chromium = built ? await openChromium() : { missing: "the console is not built; npm test builds it" };
const missing = "missing" in chromium ? chromium.missing : undefined;
const browser = chromium as Browser;

describe("jobs that are written, opened and labelled in a real browser", { skip: missing }, () => {
  const server = new OwnServer("--simulated", "1x4:H100");
  before(async () => {
    await server.start();
    await server.call("createAccount", { body: { path: "lab", guarantee: 4 } });
  });
  after(async () => {
    await browser.close();
    await server.end();
  });
  const submit = (body: object) =>
    server.call("submitJob", { body: { project: "lab", gpus: 1, run: "sleep 600", ...body } as never });
  const signedIn = async () => {
    const watched = await WatchedPage.open(browser, server.url);
    await watched.signInWithToken(server.ownerToken);
    return watched;
  };
  /** Drops files on the editor, as a person does from a folder. */
  const dropOn = async (page: Page, files: readonly { name: string; text: string }[]) => {
    const dropped = await page.evaluateHandle((given) => {
      const transfer = new DataTransfer();
      for (const { name, text } of given) transfer.items.add(new File([text], name, { type: "text/plain" }));
      return transfer;
    }, files);
    for (const kind of ["dragover", "drop"]) await page.locator(".drop").dispatchEvent(kind, { dataTransfer: dropped });
  };

  it("a run is written again without defaults, can be seen whole, and says in what it differs", async () => {
    const { id } = await submit({ name: "tuned", gpus: 2, labels: { sweep: "lr" } });
    const watched = await signedIn();
    const { page } = watched;
    await watched.go(`/new?from=${id}`);
    await page.getByRole("heading", { name: "Run tuned again" }).waitFor();
    await page.getByText("The same. Change a field").waitFor();
    const editor = page.locator(".cm-content");
    assert.doesNotMatch(await editor.innerText(), /retry|preemptible|isolation|priority/);
    assert.match(await editor.innerText(), /sweep: lr/);
    await page.getByLabel("GPUs").click();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("4");
    await page.getByText("gpus: 2 → 4").waitFor();
    await page.getByRole("button", { name: "whole file" }).click();
    await page.waitForFunction(() =>
      /preemptible: true/.test(document.querySelector(".editor")?.shadowRoot?.textContent ?? ""),
    );
    await page.getByText("gpus: 2 → 4").waitFor();
    assert.equal(await page.getByText(/ → /).count(), 1, "a default that is written is no difference");
    assert.deepEqual(await seriousViolations(page), []);
    await page.getByRole("button", { name: "only what differs" }).click();
    await page.getByRole("button", { name: "Submit" }).click();
    await page.waitForURL(/\/jobs\/job_/);
    const made = await server.call("getJob", { at: { job: new URL(page.url()).pathname.split("/").at(-1)! } });
    assert.deepEqual([made.gpus, made.labels], [4, { sweep: "lr" }]);
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });

  it("dropped files are documents, each with its own result, and what was submitted is shown", async () => {
    const watched = await signedIn();
    const { page } = watched;
    await watched.go("/new");
    await page.locator(".cm-content").waitFor();
    await dropOn(page, [
      {
        name: "a.yaml",
        text: "name: one\nproject: lab\nrun: sleep 600\n---\nname: two\nproject: lab\nrun: sleep 600\n",
      },
      { name: "b.yaml", text: "name: wrong\nproject: lab\ngpuz: 1\nrun: x\n" },
      { name: "c.yaml", text: "name: broken\nrun: [\n" },
    ]);
    await page.getByText("4 jobs in this file").waitFor();
    await page
      .getByText(/would start now|would wait/)
      .first()
      .waitFor();
    const rows = page.locator(".documents li");
    await rows.nth(2).getByText(/gpuz/).waitFor();
    assert.match(await rows.nth(2).innerText(), /line 9/);
    assert.match(await rows.nth(3).innerText(), /Line 1[56]: /);
    assert.deepEqual(await seriousViolations(page), []);
    await page.getByLabel("2. two").click();
    const submit = page.getByRole("button", { name: /^Submit \d job/ });
    await page.locator('[title="wrong would be refused"]').waitFor();
    assert.ok(await submit.isDisabled());
    await page.getByLabel("3. wrong").click();
    await submit.click();
    await page.getByText("Submitted: one. 3 jobs below are not.").waitFor();
    const names = async () =>
      (await server.call("listJobs", { query: { state: "all" } })).items.map(({ name }) => name);
    assert.equal((await names()).filter((name) => name === "one").length, 1);
    assert.equal((await names()).includes("two"), false);

    await page.locator(".cm-content").click();
    await page.keyboard.press("ControlOrMeta+a");
    // Letters that are keys of the page are text here.
    await page.keyboard.type("name: three # c g p ?\nproject: lab\nrun: ./x; sleep 1");
    assert.match(
      await page.locator(".cm-content").innerText(),
      /^name: three # c g p \?\s+project: lab\s+run: \.\/x; sleep 1\s*$/,
    );
    await page.getByText(/It would (start now|wait)/).waitFor();
    assert.equal(await page.locator(".page").getByText(/gpuz/).count(), 0, "nothing is said of the text before");
    await page.reload();
    await page.locator(".cm-content").getByText("three").waitFor();
    // Refusals are answers here; the other is the completion list of the editor, whose style attribute is not applied.
    const complaints = watched.complaints.filter((text) => !/400 \(Bad Request\)|inline style/.test(text));
    assert.deepEqual(complaints, []);
    await watched.close();
  });

  it("keeps what is pasted over the text, and makes a job file of an sbatch script", async () => {
    const watched = await signedIn();
    const { page } = watched;
    await watched.go("/new");
    await page.locator(".cm-content").click();
    const devtools = await page.context().newCDPSession(page);
    await devtools.send("Emulation.setCPUThrottlingRate", { rate: 3 });
    for (let time = 1; time <= 25; time++) {
      await page.keyboard.press("ControlOrMeta+a");
      await page.keyboard.press("Delete");
      // The page hands the emptied text back a few milliseconds later, which is when a paste was lost.
      await page.waitForTimeout(time % 12);
      await page.keyboard.insertText(`name: pasted-${time}\nproject: lab\nrun: sleep 600\n`);
      await page.waitForTimeout(250);
      assert.match(await page.locator(".cm-content").innerText(), new RegExp(`^name: pasted-${time}\n`));
    }
    await devtools.send("Emulation.setCPUThrottlingRate", { rate: 1 });

    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.insertText("#!/bin/bash\n#SBATCH -J tune -A lab -p gpu\n#SBATCH --gpus=1\nsrun sleep 600\n");
    await page.getByText("This is an sbatch script (Slurm), not a job file.").waitFor();
    assert.ok(await page.getByRole("button", { name: "Submit" }).isDisabled());
    await page.getByRole("button", { name: "Make it a job file" }).click();
    await page.getByText(/It would (start now|wait)/).waitFor();
    assert.match(
      await page.locator(".cm-content").innerText(),
      /^# From an sbatch script \(Slurm\).*\n# +#SBATCH --partition=gpu: .*\nname: tune\nproject: lab\ngpus: 1\nrun: sleep 600\s*$/,
    );
    await page.getByRole("button", { name: "Submit" }).click();
    await page.waitForURL(/\/jobs\/job_/);
    await watched.close();
  });

  it("chosen jobs get a label and lose it, by keyboard, and the list is cut by it in its address", async () => {
    for (const name of ["first", "second", "third"]) await submit({ name });
    const watched = await signedIn();
    const { page } = watched;
    await watched.go("/jobs?sort=-submitted");
    const table = page.getByRole("region", { name: "Jobs", exact: true });
    await table.getByText("third").waitFor();
    await table.focus();
    await page.keyboard.type("jx");
    await page.keyboard.press("Shift+J");
    await page.getByText("2 jobs chosen").waitFor();
    await page.getByRole("button", { name: "Label", exact: true }).focus();
    await page.keyboard.press("Enter");
    await page.keyboard.type("stage=two");
    await page.getByText("2 jobs get the label stage=two.").first().waitFor();
    assert.deepEqual(await seriousViolations(page), []);
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    const labelled = await server.call("listJobs", { query: { label: "stage=two" } });
    assert.equal(labelled.items.length, 2);
    await page.getByLabel("Filter by label").click();
    await page.keyboard.type("stage=two");
    await page.waitForURL(/label=stage/);
    await page.getByText("2 jobs", { exact: true }).waitFor();
    await watched.go(`/jobs/${labelled.items[0]!.id}`);
    await page.getByRole("link", { name: "stage=two" }).waitFor();
    await page.getByRole("button", { name: "Change labels" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "remove" }).click();
    await page.getByRole("button", { name: "Remove label" }).click();
    await page.getByRole("button", { name: "Add a label" }).waitFor();
    assert.equal((await server.call("listJobs", { query: { label: "stage" } })).items.length, 1);
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });
});
