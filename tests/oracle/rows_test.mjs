// Tests of the rule by which two engines agree: node --test rows_test.mjs
import assert from "node:assert/strict";
import { test } from "node:test";
import { compareRow, objections, readTokens, splitRows } from "./rows.mjs";

const kRow = Float32Array.from([3, 1, -1, -3]);  // standard deviation sqrt(5)

function near(got, want) {
  assert.ok(Math.abs(got - want) < 1e-6, `${got} is not ${want}`);
}

test("equal rows do not differ", () => {
  const row = compareRow(kRow, kRow);
  assert.equal(row.rms, 0);
  near(row.deviation, Math.sqrt(5));
  near(row.margin, 2 / Math.sqrt(5));
  assert.deepEqual([row.compared, row.gotTop, row.wantTop], [4, 0, 0]);
  assert.deepEqual(objections(row, 4), []);
});

test("a constant shift is no difference: logits compare with log-probabilities", () => {
  near(compareRow(kRow.map((x) => x + 7), kRow).rms, 0);
});

test("the difference is the root mean square of log-softmax differences", () => {
  // log(0.5), log(0.5) against log(0.8), log(0.2).
  const row = compareRow(Float32Array.from([0, 0]), Float32Array.from([Math.log(0.8), Math.log(0.2)]));
  near(row.rms, Math.sqrt((Math.log(0.8 / 0.5) ** 2 + Math.log(0.5 / 0.2) ** 2) / 2));
  near(row.deviation, Math.log(4) / 2);
  near(row.relativeRms, row.rms / row.deviation);
});

test("ids that either lacks are left out of both distributions, but few may be", () => {
  const row = compareRow(Float32Array.from([3, 1, -1, 9]), Float32Array.from([3, 1, -1, NaN]));
  assert.deepEqual([row.compared, row.rms, row.gotTop], [3, 0, 0]);
  assert.match(objections(row, 4)[0], /only 3 of 4 ids/);
});

test("a difference above the bound is refused, and so is one that is no number", () => {
  const base = { compared: 4, relativeRms: 3.5e-2, margin: 1, gotTop: 0, wantTop: 0 };
  assert.deepEqual(objections(base, 4), []);
  assert.match(objections({ ...base, relativeRms: 3.51e-2 }, 4)[0], /rms is 3.51e-2 deviations/);
  assert.equal(objections({ ...base, relativeRms: NaN }, 4).length, 1);
});

test("another top token is refused where the reference is decided", () => {
  const base = { compared: 4, relativeRms: 0, margin: 0.099, gotTop: 1, wantTop: 0 };
  assert.deepEqual(objections(base, 4), []);
  assert.match(objections({ ...base, margin: 0.1 }, 4)[0], /top token is 1, the reference's 0 leads by 0.100/);
  assert.deepEqual(objections({ ...base, margin: 5, gotTop: 0 }, 4), []);
});

test("the top token of a tie is the lowest id", () => {
  const row = compareRow(Float32Array.from([1, 2, 2]), Float32Array.from([2, 2, 1]));
  assert.deepEqual([row.gotTop, row.wantTop, row.margin], [1, 0, 0]);
});

test("files of another shape are refused", () => {
  assert.throws(() => compareRow(kRow, kRow.subarray(1)), /a row of 4 against one of 3/);
  assert.throws(() => splitRows(Buffer.alloc(20), 4, "x"), /x: 20 bytes are not rows of 4 f32/);
  assert.throws(() => splitRows(Buffer.alloc(0), 4, "x"), /x: 0 bytes/);
  assert.deepEqual(splitRows(Buffer.from(Float32Array.from([1, 2, 3, 4]).buffer), 2, "x").map((r) => [...r]),
    [[1, 2], [3, 4]]);
});

test("token ids are numbers separated by commas", () => {
  assert.deepEqual(readTokens("2, 105,7\n", "x"), [2, 105, 7]);
  for (const bad of ["", "2,,3", "2 3", "-1", "2,a"]) assert.throws(() => readTokens(bad, "x"), /x: expected/);
});
