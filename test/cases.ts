/** Returns the number of random cases: a tenth by default, or another part; all with CASES=full. */
export function cases(full: number, parts = 10): number {
  if (process.env.CASES === 'full') return full
  return Math.max(1, Math.ceil(full / parts))
}
