#!/usr/bin/env node
// usage: reference_logits.mjs MODEL.gguf TOKENS.txt OUT.f32 [--every-position] [--steps K]
//
// TOKENS.txt holds token ids separated by commas. Writes the reference engine's log-probabilities,
// little-endian f32 [rows, vocabulary], of the last position or of every one, and prints one line of JSON:
// {"rows", "vocabulary", "greedy"}: the K tokens that greedy decoding appends.
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { Reference } from "./reference.mjs";
import { readTokens } from "./rows.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { "every-position": { type: "boolean", default: false }, steps: { type: "string", default: "0" } },
});
const steps = Number(values.steps);
if (positionals.length !== 3 || !Number.isInteger(steps) || steps < 0) {
  console.error("usage: reference_logits.mjs MODEL.gguf TOKENS.txt OUT.f32 [--every-position] [--steps K]");
  process.exit(2);
}
const [modelPath, tokensPath, outPath] = positionals;
const tokens = readTokens(readFileSync(tokensPath, "utf8"), tokensPath);

const reference = await Reference.open(modelPath, { capacityTokens: tokens.length + steps + 1, threads: 2 });
const { rows, greedy } = await reference.evaluate(tokens, { everyPosition: values["every-position"], steps });
await reference.close();

writeFileSync(outPath, Buffer.concat(rows.map((row) => Buffer.from(row.buffer))));
console.log(JSON.stringify({ rows: rows.length, vocabulary: rows[0].length, greedy }));
