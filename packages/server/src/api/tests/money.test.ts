import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { type AccountTerms, extractFrom, hour, invoiceText, plainTerms, recompute, unitsPerGpu } from "@tessera/core";
import type {
  BudgetShape,
  CostReport,
  EntryShape,
  ExtractShape,
  HeadShape,
  InvoiceShape,
  InvoiceSummary,
  LedgerPage,
  LineExplanation,
} from "@tessera/wire";
import { verifyInvoice } from "@tessera/wire";
import { Signature } from "../../access/signature.ts";
import { BudgetWatch } from "../../flow/watch/budget-watch.ts";
import { checkChain } from "../../journal/chain.ts";
import { coverOf } from "../../journal/row.ts";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { serveApi, Tenancy, type TestServer, type TestUser, testKeys } from "../../testing/tenancy.ts";

const termsOf = (gpus: number): AccountTerms => ({
  ...plainTerms,
  quota: { guarantee: { H100: gpus * unitsPerGpu }, weight: 1 },
});
const start = Date.UTC(2026, 9, 1);

describe("money over the API", () => {
  let control: TestControl;
  let server: TestServer;
  let tenancy: Tenancy;
  let owner: TestUser;
  let finance: TestUser;

  before(async () => {
    control = await TestControl.start(undefined, []);
    control.setTime(start);
    await control.must({ kind: "node.register", nodes: fleetOf(2, 4) });
    server = await serveApi(control);
    tenancy = new Tenancy(control);
    await tenancy.prices();
    await tenancy.account("lab", termsOf(2));
    await tenancy.account("lab/vision");
    await tenancy.account("ops", termsOf(4));
    owner = await tenancy.user("root", "platform-owner", "");
    finance = await tenancy.user("fin", "finance", "lab");
    const job = await tenancy.job("lab/vision", owner.id, { name: "big", gpus: "H100:4" });
    await control.run(job);
    control.setTime(start + 10 * hour);
    await control.end(job);
  });
  after(() => server.close());

  it("shows the draft of a month: the floor, and what was used beyond it", async () => {
    const draft = await server.must<InvoiceShape>(finance, "GET", "/v1/accounts/lab/invoices/2026-10");
    assert.equal(draft.status, "draft");
    assert.deepEqual(
      draft.lines.map(({ kind, account, hours, micros }) => [kind, account, hours, micros]),
      [
        ["reserved", "lab", "20.000", "40000000"],
        ["burst", "lab/vision", "20.000", "60000000"],
      ],
    );
  });

  it("bills tenants alone: a part of one is refused, so that who reaches the part cannot change the whole", async () => {
    const entry = { kind: "payment", micros: "1", memo: "x" };
    for (const [method, path, body] of [
      ["PUT", "/v1/accounts/lab%2Fvision/billing", { mode: "showback" }],
      ["PUT", "/v1/accounts/lab%2Fvision/contract", { from: "2026-10-01T00:00:00Z", to: "2026-12-01T00:00:00Z" }],
      ["POST", "/v1/ledger", { ...entry, account: "lab/vision" }],
    ] as const) {
      const { status, json } = await server.call(owner.token, method, path, body);
      assert.equal(status, 422, path);
      assert.match(JSON.stringify(json), /is a part of lab, and only tenants are billed/);
    }
  });

  it("groups costs by job, and the groups add up to the whole", async () => {
    const report = await server.must<CostReport>(
      finance,
      "GET",
      "/v1/costs?by=job&from=2026-10-01&to=2026-11-01&account=lab",
    );
    const [job] = report.rows;
    assert.deepEqual(job!.byKind, { burst: "60000000", reserved: "40000000" }, "it used the whole floor, and more");
    assert.equal(report.totalMicros, "100000000");
  });

  it("gives users what they used of a guarantee, and shows the rest as unused", async () => {
    control.setTime(start + 20 * hour);
    const { rows } = await server.must<CostReport>(finance, "GET", "/v1/costs?by=user&from=2026-10-01&account=lab");
    assert.deepEqual(
      rows.map(({ key, micros, gpuHours }) => [key, micros, gpuHours]),
      [
        ["(unused guarantee)", "40000000", "20.000"],
        [owner.id, "100000000", "40.000"],
      ],
    );
    control.setTime(start + 10 * hour);
  });

  it("explains a line by the leases it was charged for, not by all of its account and model", async () => {
    const other = await TestControl.start(undefined, []);
    other.setTime(start);
    await other.must({ kind: "node.register", nodes: fleetOf(2, 4) });
    const api = await serveApi(other);
    const people = new Tenancy(other);
    await people.prices();
    await people.account("lab");
    const root = await people.user("root", "platform-owner", "");
    const plain = await people.job("lab", root.id, { name: "plain", gpus: "H100:1", cpus: 2 });
    await other.run(plain);
    const near = await people.job("lab", root.id, { name: "near", gpus: "H100:2", topology: "node" });
    other.setTime(start + hour);
    await other.run(near);
    other.setTime(start + 3 * hour);
    await other.end(plain);
    await other.end(near);
    const { lines } = await api.must<InvoiceShape>(root, "GET", "/v1/accounts/lab/invoices/2026-10");
    const behind = new Map<string, string[]>();
    for (const { line, kind, topology } of lines) {
      const told = await api.must<LineExplanation>(root, "GET", `/v1/accounts/lab/invoices/2026-10/lines/${line}`);
      behind.set(`${kind} ${topology}`, [...new Set(told.stretches.map(({ job }) => job))]);
    }
    await api.close();
    assert.deepEqual(behind.get("burst "), [plain]);
    assert.deepEqual(behind.get("burst node"), [near]);
    assert.deepEqual(behind.get("cpu "), [plain]);
  });

  it("says where the running month ends if all goes on as now, and nothing about months that are over", async () => {
    control.setTime(start + 20 * hour);
    // 100 until the job ended; since then the floor of 2 GPUs alone, 4 an hour: 0.666667 in ten minutes.
    const open = await server.must<CostReport>(finance, "GET", "/v1/costs?from=2026-10-01&account=lab");
    assert.deepEqual(
      [open.totalMicros, open.forecastMicros],
      ["140000000", String(140_000_000 + 666_667 * 6 * (31 * 24 - 20))],
    );
    assert.deepEqual(open.month, {
      ...{ period: "2026-10", from: "2026-10-01T00:00:00.000Z", spentMicros: "140000000" },
    });
    const compared = await server.must<CostReport>(finance, "GET", "/v1/costs?from=1h&account=lab&compare=true");
    assert.deepEqual(compared.month?.spentMicros, "140000000", "the month, whatever was asked for");
    assert.deepEqual(compared.month?.before, { period: "2026-09", micros: "0" });
    const over = await server.must<CostReport>(
      finance,
      "GET",
      "/v1/costs?from=2026-10-01&to=2026-10-01T12:00:00Z&account=lab",
    );
    assert.equal(over.forecastMicros, undefined);
  });

  it("compares days by their sum alone: none of the days before is listed among those that were asked for", async () => {
    control.setTime(start + 34 * hour);
    const query = "by=day&from=2026-10-02&to=2026-10-02T10:00:00Z&account=lab&compare=true";
    const report = await server.must<CostReport>(finance, "GET", `/v1/costs?${query}`);
    assert.deepEqual(
      report.rows.map(({ key, micros, beforeMicros }) => [key, micros, beforeMicros]),
      [["2026-10-02", "40000000", undefined]],
    );
    assert.equal(report.beforeMicros, "40000000", "the ten hours before");
  });

  it("closes a month once: numbers without gaps, entries that add up, and the same bytes when computed again", async () => {
    control.setTime(Date.UTC(2026, 10, 1) + hour);
    await server.must(owner, "POST", "/v1/periods/close", { period: "2026-10" });
    const again = await server.must<{ invoices: unknown[] }>(owner, "POST", "/v1/periods/close", { period: "2026-10" });
    assert.deepEqual(again.invoices, []);
    const { items } = await server.must<{ items: InvoiceSummary[] }>(owner, "GET", "/v1/invoices");
    const issued = items.filter(({ status }) => status === "issued");
    assert.deepEqual(
      issued.map(({ number }) => number),
      ["INV-ops-000001", "INV-lab-000001"],
    );
    const ledger = await server.must<LedgerPage>(owner, "GET", "/v1/ledger");
    const sums = Object.values(ledger.balances).reduce((sum, micros) => sum + BigInt(micros), 0n);
    assert.equal(sums, 0n);
    for (const { legs } of ledger.items)
      assert.equal(
        legs.reduce((sum, { micros }) => sum + BigInt(micros), 0n),
        0n,
      );
    const invoice = await server.must<InvoiceShape>(finance, "GET", "/v1/accounts/lab/invoices/2026-10");
    assert.equal(ledger.balances["EUR tenant/lab/owed"], invoice.totalMicros);
    const extract = await server.must<ExtractShape>(finance, "GET", "/v1/accounts/lab/invoices/2026-10/extract");
    assert.equal(invoiceText(recompute(extractFrom(extract.entries))!), invoice.text);
    assert.ok(!extract.entries.join().includes("ops"), "[S23] nothing of another tenant");
    assert.ok((await checkChain(control.reader)).sound);
  });

  it("pages through invoices, drafts first, and through the ledger", async () => {
    const all = await server.must<{ items: InvoiceSummary[]; next?: string }>(owner, "GET", "/v1/invoices");
    assert.equal(all.next, undefined);
    const paged = async <Page extends { items: unknown[]; next?: string }>(path: string) => {
      const items: unknown[] = [];
      for (let next = ""; ; ) {
        const page = await server.must<Page>(owner, "GET", `${path}?limit=1${next && `&cursor=${next}`}`);
        items.push(...page.items);
        if (page.next === undefined) return items;
        next = page.next;
      }
    };
    assert.deepEqual(
      all.items.map(({ status }) => status),
      ["draft", "draft", "issued", "issued"],
    );
    assert.deepEqual(await paged("/v1/invoices"), all.items);
    const ledger = await server.must<LedgerPage>(owner, "GET", "/v1/ledger");
    assert.ok(ledger.items.length > 2);
    // Each tenant's entries count from 1 without gaps, so a number says nothing about other tenants.
    for (const tenant of ["lab", "ops"]) {
      const own = ledger.items.filter(({ legs }) =>
        legs.some(({ account }) => account.startsWith(`tenant/${tenant}/`)),
      );
      const numbers = own.map(({ no }) => no);
      assert.deepEqual(numbers, [...numbers.keys()].map((i) => i + 1).reverse(), tenant);
    }
    assert.deepEqual(await paged("/v1/ledger"), ledger.items);
    const post = (body: object) => server.must<EntryShape>(owner, "POST", "/v1/ledger", { memo: "m", ...body });
    const hold = (account: string) => post({ account, kind: "hold", micros: "1000000" });
    const [first, ended, of] = [await hold("lab"), await hold("lab"), await hold("ops")];
    await post({ account: "lab", kind: "void", micros: "0", of: ended.no });
    for (let i = 0; i < 5; i++) await post({ account: "lab", kind: "payment", micros: "1" });
    const open = async (query: string) =>
      (await server.must<LedgerPage>(owner, "GET", `/v1/ledger?open=true${query}`)).items;
    assert.deepEqual(await open("&account=lab&limit=1"), [first], "however many entries came after it");
    assert.deepEqual(
      new Set((await open("")).map(({ no, memo }) => `${no} ${memo}`)),
      new Set([`${first.no} m`, `${of.no} m`]),
    );
    const theirs = await server.must<LedgerPage>(finance, "GET", "/v1/ledger?open=true");
    assert.deepEqual(
      [theirs.items, Object.keys(theirs.balances).filter((book) => book.includes("ops"))],
      [[first], []],
    );
    for (const { no, account } of [
      { ...first, account: "lab" },
      { ...of, account: "ops" },
    ])
      await post({ account, kind: "void", micros: "0", of: no });
    assert.deepEqual(await open(""), []);
    const one = await server.must<{ items: InvoiceSummary[] }>(owner, "GET", "/v1/invoices?number=INV-lab-000001");
    assert.deepEqual(
      one.items.map(({ number }) => number),
      ["INV-lab-000001"],
    );
    const other = all.items.find(({ status, tenant }) => status === "issued" && tenant === "ops")!;
    const hidden = await server.must<{ items: InvoiceSummary[] }>(
      finance,
      "GET",
      `/v1/invoices?number=${other.number}`,
    );
    assert.deepEqual(hidden.items, [], "what one may not see is not there");
  });

  it("[S12] lets a tenant check an invoice with the extract and a published head alone, and names what was changed", async () => {
    const invoice = await server.must<InvoiceShape>(finance, "GET", "/v1/accounts/lab/invoices/2026-10");
    const { line: head, row, publicKey: key } = await server.must<HeadShape>(finance, "GET", "/v1/journal/head");
    await control.must({ kind: "node.cordon", node: "n1", reason: "so that the head moves" });
    await control.must({ kind: "node.up", node: "n1" });
    const path = `/v1/accounts/lab/invoices/2026-10/extract?since=${row}`;
    const extract = await server.must<ExtractShape>(finance, "GET", path);
    const number = invoice.number!;
    const claim = { number, text: invoice.text, extract, head, key };
    const verdict = await verifyInvoice(claim);
    assert.equal(verdict.sound, true, "fault" in verdict ? verdict.fault : "");
    const place = extract.entries.findIndex((entry) => entry.includes(`"is":"usage"`));
    const flipped = extract.entries.with(place, extract.entries[place]!.replace(/"fromAt":1/, `"fromAt":2`));
    const named = await verifyInvoice({ ...claim, extract: { ...extract, entries: flipped } });
    assert.deepEqual([named.sound, "entry" in named && named.entry], [false, place + 1]);
    const faultOf = async (change: Partial<typeof claim>) => {
      const found = await verifyInvoice({ ...claim, ...change });
      return "fault" in found ? found.fault : "";
    };
    assert.match(await faultOf({ text: invoice.text.replace("60000000", "60000001") }), /does not follow/);
    assert.match(await faultOf({ head: "00".repeat(32) }), /is not a signed head/);
    const forged = head.replace(/tree=..../, "tree=0000");
    assert.match(await faultOf({ head: forged }), /the signature of the head of the publisher is wrong/);
    const without = { entries: extract.entries.toSpliced(place, 1), leaves: extract.leaves.toSpliced(place, 1) };
    assert.match(await faultOf({ extract: { ...extract, ...without } }), /not those that the journal/);
    assert.match(await faultOf({ extract: { ...extract, entries: [], leaves: [] } }), /not those that the journal/);
  });

  it("[S12] does not take an extract that another key signed, nor the files of another invoice (finding 19)", async () => {
    const { invoice, extract, head, key } = await filesOf("lab");
    const claim = { number: invoice.number!, text: invoice.text, extract, head, key };
    assert.equal((await verifyInvoice(claim)).sound, true);
    const faultOf = async (change: Partial<typeof claim>) => {
      const found = await verifyInvoice({ ...claim, ...change });
      return "fault" in found ? found.fault : "";
    };
    const thief = new Signature(randomBytes(32));
    const { signature, publicKey, ...signed } = extract;
    for (const keys of [signed.keys, [{ publicKey: thief.publicKey }]]) {
      const again = { ...signed, keys };
      const forged = { ...again, signature: await thief.of(JSON.stringify(again)), publicKey: thief.publicKey };
      assert.match(await faultOf({ extract: forged }), /signed by another key/);
    }
    const twice = { ...extract, invoice: "INV-000009" };
    assert.match(await faultOf({ number: "INV-000009" }), new RegExp(`extract is of ${invoice.number}`));
    assert.match(await faultOf({ number: "INV-000009", extract: twice }), /the proof is not of INV-000009/);
    const ops = await filesOf("ops");
    const theirs = { text: ops.invoice.text, extract: ops.extract };
    assert.match(await faultOf(theirs), new RegExp(`extract is of ${ops.invoice.number}, not of ${invoice.number}`));
  });

  async function filesOf(tenant: string) {
    const invoice = await server.must<InvoiceShape>(owner, "GET", `/v1/accounts/${tenant}/invoices/2026-10`);
    const { line: head, row, publicKey: key } = await server.must<HeadShape>(owner, "GET", "/v1/journal/head");
    const path = `/v1/accounts/${tenant}/invoices/2026-10/extract?since=${row}`;
    return { invoice, extract: await server.must<ExtractShape>(owner, "GET", path), head, key };
  }

  it("[S12] still takes an extract from before heads had a tree", async () => {
    const { invoice, extract, key } = await filesOf("lab");
    const { signature, publicKey, keys, head, proof: given, ...rest } = extract;
    const { row, tree, since, ...proof } = given;
    const later = await control.reader.rows(row! + 1, 1_000);
    const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
    const chain = later.map((each) => ({ cover: hex(coverOf(each)), root: hex(each.root) }));
    const old = { ...rest, proof: { ...proof, chain }, head: hex(later.at(-1)!.hash) };
    const signed = {
      ...old,
      signature: await new Signature(testKeys.held.signingKey).of(JSON.stringify(old)),
      publicKey: key,
    };
    const claim = { number: invoice.number!, text: invoice.text, extract: signed, head: old.head, key };
    const verdict = await verifyInvoice(claim);
    assert.equal(verdict.sound, true, "fault" in verdict ? verdict.fault : "");
    assert.equal((await verifyInvoice({ ...claim, head: "00".repeat(32) })).sound, false);
  });

  it("explains a line by its hours and the stretches behind it", async () => {
    const line = await server.must<LineExplanation>(finance, "GET", "/v1/accounts/lab/invoices/2026-10/lines/2");
    assert.equal(line.hours.length, 10);
    assert.equal(
      line.hours.reduce((sum, { micros }) => sum + BigInt(micros), 0n),
      60_000_000n,
    );
    assert.equal(line.stretches.filter(({ state }) => state === "running").length, 1);
    assert.match(line.arithmetic, /= 60000000 micros$/);
  });

  it("stops burst work when a hard budget is spent, says why, and lets it start again when it is raised", async () => {
    const job = await tenancy.job("lab/vision", owner.id, { name: "more", gpus: "H100:4" });
    await control.run(job);
    const budget = { limitMicros: "900000000", stop: "stop-burst", alertsPerMille: [500] };
    await server.must(finance, "PUT", "/v1/accounts/lab%2Fvision/budget", budget);
    const watch = new BudgetWatch(control, { now: () => control.now(), at: () => () => {} });
    const began = control.now();
    await watch.look();
    control.setTime(began + 10 * 60_000);
    const next = await watch.look();
    assert.equal(control.state.leases.size, 1);
    control.setTime(began + 100 * hour);
    await watch.look();
    assert.equal(control.state.books.reached.get("lab/vision")?.perMille, 500);
    assert.ok(next > began);
    control.setTime(began + 150 * hour);
    await watch.look();
    const [lease] = [...control.state.leases.values()];
    assert.equal(lease!.state, "stopping");
    control.setTime(began + 150 * hour + 18_000);
    await control.report(lease!.id, { kind: "exited", ran: true, signal: "SIGTERM" });
    const { reason } = await server.must<{ reason: { kind: string; detail: string } }>(
      owner,
      "GET",
      `/v1/jobs/${job}/explain`,
    );
    assert.equal(reason.kind, "budget");
    assert.match(reason.detail, /The budget of lab\/vision is spent/);
    const events = await server.must<{ items: { subject: string; text: string }[] }>(
      owner,
      "GET",
      "/v1/events?limit=500",
    );
    const told = events.items.filter(({ subject }) => subject === job).map(({ text }) => text);
    assert.ok(
      told.some((text) => /asked to stop \(budget\): SIGTERM, .*the budget of lab\/vision is spent/.test(text)),
      told.join("; "),
    );
    const [passed] = (await server.must<{ items: BudgetShape[] }>(finance, "GET", "/v1/budgets")).items;
    assert.equal(passed!.overMicros, "30000");
    const shown = await server.must<BudgetShape>(finance, "PUT", "/v1/accounts/lab%2Fvision/budget", {
      ...budget,
      limitMicros: "2000000000",
    });
    assert.deepEqual([shown.stopped, shown.overMicros], ["stop-burst", undefined]);
    await watch.look();
    assert.equal(control.state.leases.size, 1);
  });
});
