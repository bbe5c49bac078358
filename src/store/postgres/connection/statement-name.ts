/** Names for prepared statements, in an LRU cache, because clients determine the texts. */

const maxNames = 500

/** In order of last use. */
const names = new Map<string, string>()
let next = 0

/** The name of a statement text; no two texts ever share one. */
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
