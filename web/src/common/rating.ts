// POP's thresholds of an efficiency: from 90 % on good, from 80 % on fair, below that poor.

export type Rating = "good" | "fair" | "poor";

export const GOOD = 0.9;
export const FAIR = 0.8;

export function ratingOf(value: number): Rating {
  return value >= GOOD ? "good" : value >= FAIR ? "fair" : "poor";
}

/** Tables and charts whose numbers are efficiencies and scalabilities. */
export function isRated(id: string): boolean {
  return /^(efficiency_|scalability|scaling_factors)/.test(id) && id !== "efficiency_times";
}
