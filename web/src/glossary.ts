// One sentence for each word that a reader may not know; the long form is doc/glossary.md. Columns and
// facts mostly bring their own explanations: these are for where they do not.

const PER_NS = "the run gets that many ns longer for each ns";

const WORDS: [RegExp, string][] = [
  [/^T$/, "The makespan: from the start of the first rank to the end of the last."],
  [/^makespan( T)?$/i, "From the start of the first rank to the end of the last."],
  [/^lambda_L$/, `How many network latencies lie on the critical path: ${PER_NS} of latency.`],
  [/^lambda_G$/, `How many bytes lie on the critical path: ${PER_NS} per byte.`],
  [/^lambda_o$/, `How many message overheads lie on the critical path: ${PER_NS} of overhead.`],
  [/^rho_L$/, "Part of the run's time that is network latency: L * lambda_L / T."],
  [/^rho_G$/, "Part of the run's time that is network bandwidth: G * lambda_G / T."],
  [
    /^critical path$/i,
    "The chain of computation and messages that determines how long the run takes: " +
      "only what lies on it, when shortened, shortens the run.",
  ],
  [
    /^parallel( efficiency)?$/i,
    "Part of the ranks' time that is useful computation: load balance times communication.",
  ],
  [/^(load )?balance$/i, "Mean computation of the ranks over the largest: less where work is unequal."],
  [
    /^communication( efficiency)?$/i,
    "The largest computation over the run's time: serialisation times transfer.",
  ],
  [
    /^serial(isation|\.)( efficiency)?$/i,
    "What ranks lose by waiting for each other, which even an ideal network would not remove.",
  ],
  [
    /^transfer( efficiency)?$/i,
    "What the network costs: the run's time on an ideal network over its real time.",
  ],
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
