import assert from "node:assert/strict";
import test from "node:test";
import { turnRound } from "./grammar.ts";

const turned = (line: string) => turnRound(line.split(" ")).join(" ");

test("verb and noun may come in either order", () => {
  assert.equal(turned("get node n0"), "node get n0");
  assert.equal(turned("get nodes -o json"), "node get -o json");
  assert.equal(
    turned("get -o json j llama -w"),
    "-o json job get llama -w".replace("-o json job get", "job get -o json"),
  );
  assert.equal(turned("-o json describe acc lab"), "-o json account describe lab");
  assert.equal(turned("create secret K --account lab"), "secret set K --account lab");
});

test("delete becomes the verb that the noun has", () => {
  assert.equal(turned("delete job a b"), "cancel a b");
  assert.equal(turned("delete user ana"), "user erase ana");
  assert.equal(turned("delete token tok_1"), "token revoke tok_1");
});

test("a noun alone is its list, and quota takes an account", () => {
  assert.equal(turned("node"), "node get");
  assert.equal(turned("quota -o wide"), "quota get -o wide");
  assert.equal(turned("quota lab/vision"), "quota get lab/vision");
  assert.equal(turned("quota tree"), "quota tree");
  assert.equal(turned("node cordon n0"), "node cordon n0");
});

test("one word that is no noun is described as a job, and everything else stays", () => {
  assert.equal(turned("describe llama-ft"), "job describe llama-ft");
  assert.equal(turned("edit llama-ft --set gpus=4 --set env.A=b"), "job edit llama-ft --set gpus=4 --set env.A=b");
  assert.equal(turned("edit job llama-ft"), "job edit llama-ft");
  assert.equal(turned("edit account lab --max 4"), "account edit lab --max 4");
  assert.equal(turned("describe ndoe n0"), "describe ndoe n0");
  assert.equal(turned("ps -A"), "ps -A");
  assert.equal(turned("gpus"), "gpus");
  assert.equal(turned("delete node n0"), "delete node n0");
});
