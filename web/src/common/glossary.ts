// One sentence for each word that a reader may not know; the long form is doc/glossary.md. Columns and
// facts mostly bring their own explanations: these are for where they do not.

const PER_NS = "the run time grows by that many ns per ns";

const WORDS: [RegExp, string][] = [
  [/^T$/, "Run time: from the start of the first rank to the end of the last."],
  [/^((predicted|measured|simulated) )?run time( T)?$/i, "From the start of the first rank to the end of the last."],
  [/lambda_L\b/, `Number of messages (latencies) on the critical path, dT/dL: ${PER_NS} of latency.`],
  [/lambda_G\b/, `Number of bytes on the critical path, dT/dG: ${PER_NS} per byte.`],
  [/lambda_o\b/, `Number of message overheads on the critical path, dT/do: ${PER_NS} of overhead.`],
  [/rho_L\b/, "Share of the run time due to network latency: L * lambda_L / T."],
  [/rho_G\b/, "Share of the run time due to network bandwidth: G * lambda_G / T."],
  [
    /^critical path$/i,
    "The chain of computation and messages that determines how long the run takes: " +
      "only what lies on it, when shortened, shortens the run.",
  ],
  [
    /^parallel( eff(iciency|\.))?$/i,
    "Share of rank time in useful computation: load balance x communication efficiency.",
  ],
  [/^(load )?balance$/i, "Mean over maximum computation of the ranks."],
  [
    /^communication( efficiency)?$/i,
    "Maximum computation over run time: serialisation x transfer efficiency.",
  ],
  [
    /^serial(isation|\.)( eff(iciency|\.))?$/i,
    "Maximum computation over run time on an ideal network: loss through dependences between ranks.",
  ],
  [
    /^transfer( eff(iciency|\.))?$/i,
    "Run time on an ideal network over actual run time: loss through data transfer.",
  ],
];

const PATTERNS: [RegExp, string][] = [
  [/late sender/, "A receive starts before its message is sent and waits for the sender."],
  [/late receiver/, "A large send starts before its receive and waits for the receiver."],
  [/wrong order/, "Messages are received in a different order than sent."],
  [/late broadcast/, "A rank waits for the root of a broadcast or scatter."],
  [/early reduce/, "The root of a reduce or gather waits for other ranks."],
  [/early scan/, "A rank in a scan waits for lower ranks."],
  [/barrier completion/, "Time in a barrier after the last rank has entered."],
  [/wait at barrier/, "A rank waits in a barrier for the last rank to enter."],
  [/nxn completion/i, "Time in an N-to-N collective after the last rank has entered."],
  [/nxn/i, "A rank waits in an N-to-N collective for the last rank to enter."],
  [/init completion/, "Time in MPI_Init after the last rank has entered."],
];

function lookUp(table: [RegExp, string][], word: string): string {
  return table.find(([pattern]) => pattern.test(word))?.[1] ?? "";
}

/** Empty: there is nothing to say. */
export const explain = (word: string): string => lookUp(WORDS, word.trim());
export const patternHelp = (pattern: string): string => lookUp(PATTERNS, pattern);
