// One sentence for each word that a reader may not know; the long form is doc/glossary.md. Columns and
// facts bring their own explanations: these are for words inside sentences and titles.

const WORDS: [RegExp, string][] = [
  [/^lambda_L$/, "How many network latencies lie on the critical path: the run gets that many ns longer for each ns of latency."],
  [/^lambda_G$/, "How many bytes lie on the critical path: the run gets that many ns longer for each ns per byte."],
  [/^lambda_o$/, "How many message overheads lie on the critical path."],
  [/^rho_L$/, "Part of the run's time that is network latency: L * lambda_L / T."],
  [/^critical path$/i, "The chain of computation and messages that determines how long the run takes: only what lies on it, when shortened, shortens the run."],
  [/^makespan$/i, "From the start of the first rank to the end of the last."],
  [/^critical latencies$/i, "Latencies at which another chain becomes the longest, and lambda_L changes."],
  [/^parallel efficiency$/i, "Part of the ranks' time that is useful computation: load balance times communication efficiency."],
  [/^load balance$/i, "Mean computation of the ranks over the largest: what equal work would gain."],
  [/^communication( efficiency)?$/i, "What would be left of the loss if computation were equal: serialisation times transfer."],
  [/^serialisation( efficiency)?$/i, "Loss from ranks waiting for each other, which even an ideal network would not remove."],
  [/^transfer( efficiency)?$/i, "Loss from the network: the run's time on an ideal network over its real time."],
];

const PATTERNS: [RegExp, string][] = [
  [/late sender/, "A receive began before its message was sent: it waits for the sender."],
  [/late receiver/, "A large send began before its receive: it waits for the receiver."],
  [/wrong order/, "Messages are received in another order than they were sent."],
  [/late broadcast/, "A rank waits for the root of a broadcast or scatter to begin."],
  [/early reduce/, "The root of a reduce or gather waits for the others to begin."],
  [/early scan/, "A rank in a scan waits for those before it."],
  [/barrier completion/, "Time in a barrier after the last rank has come."],
  [/wait at barrier/, "A rank waits in a barrier for the last one to come."],
  [/nxn completion/i, "Time in an all-to-all operation after the last rank has come."],
  [/nxn/i, "A rank waits in an all-to-all operation for the last one to come."],
  [/init completion/, "Time in MPI_Init after the last rank has come."],
];

function lookUp(table: [RegExp, string][], word: string): string {
  return table.find(([pattern]) => pattern.test(word))?.[1] ?? "";
}

/** Empty: there is nothing to say. */
export const explain = (word: string): string => lookUp(WORDS, word.trim());
export const patternHelp = (pattern: string): string => lookUp(PATTERNS, pattern);
