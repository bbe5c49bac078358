/**
 * A name for each statement text that comes again, so that a connection prepares it once. Texts
 * come from shapes of requests, of which there may be ever more: the oldest lose their name.
 */

const maxNames = 500

/** In the order they were last used. */
const names = new Map<string, string>()
let next = 0

/** The same for the same text for as long as it is in use; no two texts ever share one. */
export function statementName(sql: string): string {
  const known = names.get(sql)
  const name = known ?? `s${next++}`
  if (known !== undefined) names.delete(sql)
  names.set(sql, name)
  if (names.size > maxNames) forgetOldest()
  return name
}

function forgetOldest(): void {
  const [oldest] = names.keys()
  if (oldest !== undefined) names.delete(oldest)
}
