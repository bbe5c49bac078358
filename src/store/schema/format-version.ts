/** The version of the system tables, stored in `_meta` under `format`. */

/**
 * Why a database of this format cannot be used, as a sentence about `database`, such as
 * `The database file a.db`; undefined where it can.
 */
export function findFormatFault(
  database: string,
  found: string | undefined,
  known: number,
): string | undefined {
  if (found === undefined) {
    const remedy = 'Name another database, or put a backup in its place.'
    return `${database} has no format entry in its table _meta: another program made it, or the entry was removed. ${remedy}`
  }
  if (Number(found) <= known) return undefined
  const reason = `was written by a newer version (format ${found}, this one knows ${known})`
  return `${database} ${reason}. Start that version or a later one.`
}
