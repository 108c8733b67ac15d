// The reference engine on the CPU: token ids in, log-probabilities and greedy tokens out. Its tokenizer,
// chat formats and filters are not used.
//
// It is set to be as near to exact as it can: F32 K/V, no flash attention. Its matrix products still
// round activations to 8-bit blocks of 32 (class D of tests/tolerance.h).
import { getLlama, LlamaLogLevel } from "node-llama-cpp";

export class Reference {
  // Opens a model for sequences of at most `capacityTokens` tokens. Its threads spin while they wait for
  // each other, so more of them than free cores take many times as long.
  static async open(modelPath, { capacityTokens, threads }) {
    const llama = await getLlama({
      gpu: false,
      build: "never",
      skipDownload: true,
      logLevel: LlamaLogLevel.error,
      maxThreads: threads,
    });
    const model = await llama.loadModel({ modelPath, gpuLayers: 0, useMmap: true, ignoreMemorySafetyChecks: true });
    return new Reference(llama, model, capacityTokens, threads);
  }

  constructor(llama, model, capacityTokens, threads) {
    this.llama = llama;
    this.model = model;
    this.capacityTokens = capacityTokens;
    this.threads = threads;
  }

  // Evaluates `tokens` in a fresh context. Returns
  //   rows: Float32Array per wanted position, the log-probability of every id of the vocabulary (an id
  //         that the engine does not report, or whose probability vanishes in f32, is NaN);
  //   greedy: the `steps` tokens that greedy decoding appends.
  async evaluate(tokens, { everyPosition = false, steps = 0 } = {}) {
    const context = await this.model.createContext({
      contextSize: this.capacityTokens,
      batchSize: Math.min(this.capacityTokens, 512),
      flashAttention: false,
      threads: this.threads,
      experimentalKvCacheKeyType: "F32",
      experimentalKvCacheValueType: "F32",
      ignoreMemorySafetyChecks: true,
    });
    try {
      const sequence = context.getSequence();
      const last = tokens.length - 1;
      const rows = [];
      const want = { generateNext: { probabilities: true, token: true, options: { temperature: 0 } } };
      let next = null;
      await sequence.controlledEvaluate(
        tokens.map((token, i) => (everyPosition || i === last ? [token, want] : token)),
        {
          // Rows are converted one by one: a map of 262,144 entries for each position would not fit.
          onTokenResult: (index, output) => {
            rows.push(logProbabilities(output.next.probabilities));
            if (index === last) next = output.next.token;
          },
        },
      );
      const greedy = [];
      while (greedy.length < steps) {
        greedy.push(next);
        if (greedy.length === steps) break;
        const step = { generateNext: { token: true, options: { temperature: 0 } } };
        const output = await sequence.controlledEvaluate([[next, step]]);
        next = output[0].next.token;
      }
      return { rows, greedy };
    } finally {
      await context.dispose();
    }
  }

  async close() {
    await this.model.dispose();
    await this.llama.dispose();
  }
}

// The map names every id that the engine kept; without filters that is the whole vocabulary.
function logProbabilities(probabilities) {
  let vocabulary = 0;
  for (const id of probabilities.keys()) vocabulary = Math.max(vocabulary, id + 1);
  const row = new Float32Array(vocabulary).fill(NaN);
  for (const [id, p] of probabilities) if (p > 0) row[id] = Math.log(p);
  return row;
}
