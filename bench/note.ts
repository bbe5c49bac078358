/** The rows of every database of a run: row n is computed from n alone. */

export const note = {
  title: 'HTTP has the verbs',
  body: 'Bring the nouns, and the rest is there already. '.repeat(5).trim(),
  tags: ['http', 'rest'],
  stars: 3,
}

export const account = { login: 'ada@example.org', password: 'correct horse battery' }

/** The token that the hand-written servers accept. */
export const plainToken = 'bench_0123456789abcdefghijklmnopqrstuvwxyz0123456789'

const firstMoment = Date.UTC(2026, 0, 1)

/** A version 7 UUID of second n, so that ids have the order of the rows. */
export function idOf(n: number): string {
  const moment = (firstMoment + n * 1000).toString(16).padStart(12, '0')
  const random = ((n * 2_654_435_761) % 2 ** 32).toString(16).padStart(8, '0')
  const time = `${moment.slice(0, 8)}-${moment.slice(8)}`
  return `${time}-7${random.slice(0, 3)}-8${random.slice(3, 6)}-${random}${random.slice(4)}`
}

export function momentOf(n: number): string {
  return new Date(firstMoment + n * 1000).toISOString()
}

/** Maps each number below `rows` to another one: 7919 is prime and divides no power of ten. */
export function starsOf(n: number, rows: number): number {
  return (n * 7919) % rows
}

/** Returns a random integer below the limit. */
export function anyBelow(limit: number): number {
  return Math.floor(Math.random() * limit)
}
