#!/usr/bin/env node
// usage: golden_check.mjs GOLDEN_DIR
//
// Proves the harness on the tiny golden model, whose logits are known in float64: the reference must be as
// far from them as 8-bit activations are (class D of tests/tolerance.h), no nearer and no farther, and its
// greedy tokens must be the golden ones. A harness that fed it wrong positions, compared a file with itself
// or lost ids would miss one of the three.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Reference } from "./reference.mjs";
import { compareRow, objections, splitRows } from "./rows.mjs";

const kMinRms = 2e-2;  // half of the 4.2e-2 that class D measures; class A has 2.3e-6
const kMaxRms = 7e-2;  // kClassD.rms

if (process.argv.length !== 3) {
  console.error("usage: golden_check.mjs GOLDEN_DIR");
  process.exit(2);
}
const folder = join(process.argv[2], "model");
const index = JSON.parse(readFileSync(join(folder, "index.json"), "utf8"));
const vocabulary = index.target_config.n_vocab;
let failed = 0;

function check(good, line) {
  console.log(`${good ? "ok  " : "FAIL"} ${line}`);
  if (!good) ++failed;
}

const reference = await Reference.open(join(folder, "tiny-gemma4-q4_0.gguf"), { capacityTokens: 256, threads: 1 });
for (const name of ["s1", "s7", "s40", "s200"]) {
  const path = join(folder, `${name}.logits.f64.bin`);
  const golden = splitRows(readFileSync(path), vocabulary, path);
  const { rows } = await reference.evaluate(index.sequences[name].tokens, { everyPosition: true });
  const compared = rows.map((row, i) => compareRow(row, golden[i]));
  const rms = Math.sqrt(compared.reduce((sum, row) => sum + row.rms ** 2, 0) / compared.length);
  const found = compared.flatMap((row, i) => objections(row, vocabulary).map((text) => `row ${i}: ${text}`));
  check(rows.length === golden.length && rms > kMinRms && rms < kMaxRms && found.length === 0,
    `${name}: ${rows.length} rows, rms ${rms.toExponential(2)}${found.map((text) => `; ${text}`).join("")}`);
}
for (const [name, golden] of Object.entries(index.greedy)) {
  const { greedy } = await reference.evaluate(golden.prompt, { steps: golden.tokens.length });
  check(greedy.join() === golden.tokens.join(), `${name}: ${greedy.length} greedy tokens`);
}
await reference.close();
process.exit(failed > 0 ? 1 : 0);
