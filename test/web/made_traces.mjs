// Traces in the text form that several tests write. In each step a rank computes, sends to its right neighbour, receives from
// the left one, and all meet in MPI_Allreduce. `work` changes how long a rank computes in a step.

export function ringTrace(ranks, steps, work = (ns) => ns) {
  let state = 12345;
  const below = (most) => (state = (state * 1103515245 + 12345) % 2147483648) % most;
  const rows = Array.from({ length: ranks }, () => []);
  const now = new Array(ranks).fill(1000);
  for (let step = 0; step < steps; ++step) {
    const sent = now.map((at, rank) => at + work(95000 + below(10000), rank, step));
    const arrived = sent.map((begin, rank) => {
      const end = Math.max(begin + 1200, sent[(rank + ranks - 1) % ranks] + 1500);
      rows[rank].push(` @${begin} +700 send to=${(rank + 1) % ranks} bytes=8192`);
      rows[rank].push(` @${begin + 900} +${end - begin - 900} recv from=${(rank + ranks - 1) % ranks} bytes=8192`);
      return end + 50 + below(150);
    });
    const last = arrived.reduce((a, b) => Math.max(a, b)) + 2000;
    arrived.forEach((begin, rank) => {
      rows[rank].push(` @${begin} +${last - begin} allreduce bytes=8`);
      now[rank] = last + below(100);
    });
  }
  const hosts = (rank) => `node${String(Math.floor(rank / 64)).padStart(2, "0")}`;
  return `slackline-trace 1 timed ranks=${ranks}\n` + rows.map((row, rank) => `rank ${rank} host=${hosts(rank)}\n${row.join("\n")}\n`).join("");
}
