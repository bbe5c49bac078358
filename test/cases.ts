/** How many random cases a test tries: a tenth by default, all of them with CASES=full. */
export function cases(full: number): number {
  if (process.env.CASES === 'full') return full
  return Math.max(1, Math.ceil(full / 10))
}
