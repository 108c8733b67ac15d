// Answers the held-out list with the reference engine: the second proof of the files.
//
//   python3 check.py --write-prompts PROMPTS [--sample N]
//   node check_reference.mjs MODEL PROMPTS ANSWERS     (needs: npm install node-llama-cpp@3.21.1)
//   python3 check.py --answers ANSWERS
//
// PROMPTS: one JSON object a line, {id, prompt: ids, most}. ANSWERS: {id, answer: ids}. Greedy; stops at 1, 50, 106.
import fs from "node:fs";
import {createRequire} from "node:module";
import {pathToFileURL} from "node:url";

const resolve = createRequire(process.cwd() + "/").resolve;
const {getLlama, LlamaLogLevel} = await import(pathToFileURL(resolve("node-llama-cpp")));
const [model_path, prompts_path, answers_path] = process.argv.slice(2);
const stops = new Set([1, 50, 106]);

const llama = await getLlama({gpu: false, build: "never", logLevel: LlamaLogLevel.error});
const model = await llama.loadModel({modelPath: model_path});
const context = await model.createContext({contextSize: 4096, flashAttention: false});
const sequence = context.getSequence();
const out = fs.createWriteStream(answers_path);
for (const line of fs.readFileSync(prompts_path, "utf8").trim().split("\n")) {
  const {id, prompt, most} = JSON.parse(line);
  await sequence.clearHistory();
  const answer = [];
  for await (const token of sequence.evaluate(prompt, {temperature: 0, yieldEogToken: true})) {
    answer.push(Number(token));
    if (stops.has(Number(token)) || answer.length >= most) break;
  }
  out.write(JSON.stringify({id, answer}) + "\n");
}
out.end();
