/** Returns the number of random cases: a tenth by default, all with CASES=full. */
export function cases(full: number): number {
  if (process.env.CASES === 'full') return full
  return Math.max(1, Math.ceil(full / 10))
}
