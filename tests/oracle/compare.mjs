#!/usr/bin/env node
// usage: compare.mjs GOT.f32 REFERENCE.f32 --vocabulary N
//
// Compares the rows of REFERENCE with as many last rows of GOT: logits or log-probabilities, little-endian
// f32 [rows, N]. Prints one line for the worst row; exits 1 if any row disagrees. The rule is in rows.mjs.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { compareRow, objections, splitRows } from "./rows.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { vocabulary: { type: "string" } },
});
const vocabulary = Number(values.vocabulary);
if (positionals.length !== 2 || !Number.isInteger(vocabulary) || vocabulary < 2) {
  console.error("usage: compare.mjs GOT.f32 REFERENCE.f32 --vocabulary N");
  process.exit(2);
}
const [got, want] = positionals.map((path) => splitRows(readFileSync(path), vocabulary, path));
if (got.length < want.length) {
  console.error(`${positionals[0]} has ${got.length} rows, the reference ${want.length}`);
  process.exit(1);
}

const rows = want.map((row, i) => compareRow(got[got.length - want.length + i], row));
rows.forEach((row, i) => {
  for (const objection of objections(row, vocabulary)) console.error(`row ${i}: ${objection}`);
});
const failed = rows.filter((row) => objections(row, vocabulary).length > 0).length;
const worst = rows.reduce((a, b) => (b.relativeRms > a.relativeRms ? b : a));
const sameTop = rows.filter((row) => row.gotTop === row.wantTop).length;
console.log(
  `${rows.length - failed} of ${rows.length} rows agree; worst rms ${worst.relativeRms.toExponential(2)} ` +
  `deviations (${worst.rms.toExponential(2)} of ${worst.deviation.toFixed(3)}); same top token in ${sameTop}; ` +
  `smallest margin ${Math.min(...rows.map((row) => row.margin)).toFixed(3)} deviations; ` +
  `${worst.compared} ids`);
process.exit(failed > 0 ? 1 : 0);
