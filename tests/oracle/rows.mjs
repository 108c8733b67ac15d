// Rows of logits as files, and how far two engines may be apart in one.

// A row of `got` agrees with a row of `want` if both hold. The first bound is the reference's own error:
// it rounds activations to 8 bits, and that alone moves its logits by up to 3.2e-2 deviations (golden
// model, 12 layers, against float64). A model with F16 weights it does not treat so: there gem's scalar
// device and the reference differ by 1e-3 (the first 6 layers of a synthetic 12B) and 2e-3 (24 layers).
export const kMaxRelativeRms = 3.5e-2;
// The top token may differ where the reference itself hardly prefers it.
export const kMinDecidedMargin = 0.1;

// Token ids from "2,105,..."; throws if anything else is there.
export function readTokens(text, name) {
  const fields = text.trim().split(/\s*,\s*/);
  if (!fields.every((field) => /^\d+$/.test(field))) {
    throw new Error(`${name}: expected token ids separated by commas`);
  }
  return fields.map(Number);
}

// Little-endian f32 [rows, vocabulary] as an array of rows.
export function splitRows(bytes, vocabulary, name) {
  if (bytes.length === 0 || bytes.length % (4 * vocabulary) !== 0) {
    throw new Error(`${name}: ${bytes.length} bytes are not rows of ${vocabulary} f32`);
  }
  const all = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  return Array.from({ length: all.length / vocabulary }, (_, i) =>
    all.subarray(i * vocabulary, (i + 1) * vocabulary));
}

// Compares one row of logits or log-probabilities with the reference's. Over the ids for which both are
// finite, with log-softmax taken over exactly these ids on both sides:
//   rms:          root of the mean squared difference of the log-probabilities, in nats
//   deviation:    standard deviation of the reference's log-probabilities (that of its logits)
//   relativeRms:  rms / deviation
//   margin:       the reference's best minus its second best, in deviations
export function compareRow(got, want) {
  if (got.length !== want.length) throw new Error(`a row of ${got.length} against one of ${want.length}`);
  const ids = [];
  for (let id = 0; id < want.length; ++id) {
    if (Number.isFinite(got[id]) && Number.isFinite(want[id])) ids.push(id);
  }
  const a = logSoftmax(got, ids);
  const b = logSoftmax(want, ids);
  const mean = b.reduce((sum, x) => sum + x, 0) / ids.length;
  let squares = 0;
  let variance = 0;
  for (let i = 0; i < ids.length; ++i) {
    squares += (a[i] - b[i]) ** 2;
    variance += (b[i] - mean) ** 2;
  }
  const rms = Math.sqrt(squares / ids.length);
  const deviation = Math.sqrt(variance / ids.length);
  const [gotBest] = twoBest(a);
  const [wantBest, wantSecond] = twoBest(b);
  return {
    compared: ids.length,
    rms,
    deviation,
    relativeRms: rms / deviation,
    margin: (b[wantBest] - b[wantSecond]) / deviation,
    gotTop: ids[gotBest],
    wantTop: ids[wantBest],
  };
}

// What is wrong with a comparison, in words; empty if nothing is.
export function objections(row, vocabulary) {
  const found = [];
  if (row.compared < 0.99 * vocabulary) {
    found.push(`only ${row.compared} of ${vocabulary} ids are finite in both`);
  }
  // Written so that a NaN fails.
  if (!(row.relativeRms <= kMaxRelativeRms)) {
    found.push(`rms is ${row.relativeRms.toExponential(2)} deviations, at most ${kMaxRelativeRms} allowed`);
  }
  if (row.gotTop !== row.wantTop && !(row.margin < kMinDecidedMargin)) {
    found.push(`top token is ${row.gotTop}, the reference's ${row.wantTop} leads by ` +
      `${row.margin.toFixed(3)} deviations`);
  }
  return found;
}

function logSoftmax(row, ids) {
  let best = -Infinity;
  for (const id of ids) best = Math.max(best, row[id]);
  let sum = 0;
  for (const id of ids) sum += Math.exp(row[id] - best);
  const shift = best + Math.log(sum);
  return Float64Array.from(ids, (id) => row[id] - shift);
}

function twoBest(values) {
  let best = 0;
  let second = -1;
  for (let i = 1; i < values.length; ++i) {
    if (values[i] > values[best]) {
      second = best;
      best = i;
    } else if (second < 0 || values[i] > values[second]) {
      second = i;
    }
  }
  return [best, second];
}
