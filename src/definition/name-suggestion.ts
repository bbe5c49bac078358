/** Finds the known name nearest to an unknown one, by Damerau-Levenshtein distance without case. */

/** Returns the nearest candidate, or undefined when none is near. */
export function findNearestName(name: string, candidates: Iterable<string>): string | undefined {
  // Names come from clients too, and the time is quadratic in the length.
  if (name.length > maxNameLength) return undefined
  // Of two at the same distance, the one that begins alike is nearer: 'gte' for 'ge', not 'ne'.
  const beginsAlike = (candidate: string) => candidate[0]?.toLowerCase() === name[0]?.toLowerCase()
  const isNearer = (candidate: string, other: string) => beginsAlike(candidate) && !beginsAlike(other)
  let best: string | undefined
  let least = Number.POSITIVE_INFINITY
  for (const candidate of candidates) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase())
    if (distance > maxDistance(name, beginsAlike(candidate))) continue
    if (distance > least || (distance === least && !isNearer(candidate, best ?? ''))) continue
    best = candidate
    least = distance
  }
  return best
}

/** Two edits of a short name make most others; they count only where the first character is the same: 'dew', 'due'. */
function maxDistance(name: string, beginsAlike: boolean): number {
  const usual = Math.min(3, Math.max(1, Math.floor(name.length / 3)))
  return beginsAlike && name.length >= 3 ? Math.max(2, usual) : usual
}

/** Returns "Did you mean …?" for the nearest candidate, or undefined when none is near. */
export function didYouMean(name: string, candidates: Iterable<string>): string | undefined {
  const candidate = findNearestName(name, candidates)
  return candidate === undefined ? undefined : `Did you mean '${candidate}'?`
}

/** Returns the sentence, followed by a suggestion where a named thing is near. */
export function withSuggestion(
  sentence: string,
  name: string,
  known: Iterable<{ readonly name: string }>,
): string {
  const suggestion = didYouMean(
    name,
    Iterator.from(known).map((one) => one.name),
  )
  return suggestion === undefined ? sentence : `${sentence} ${suggestion}`
}

const maxNameLength = 64

function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 3) return Number.POSITIVE_INFINITY
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const current = [i]
    for (let j = 1; j <= b.length; j++) {
      const substitution = last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      current[j] = Math.min(last[j]! + 1, current[j - 1]! + 1, substitution)
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (swapped) current[j] = Math.min(current[j]!, beforeLast[j - 2]! + 1)
    }
    beforeLast = last
    last = current
  }
  return last[b.length]!
}
