/**
 * The table locks of migration steps (PostgreSQL documentation §13.3.1). All steps are one
 * transaction, so a lock is held until the last step is done.
 */

export const locks = {
  /** Changes only the catalogue. */
  brief: 'ACCESS EXCLUSIVE: everyone waits for a moment',
  /** `set not null` reads every row and rewrites none. */
  scan: 'ACCESS EXCLUSIVE: everyone waits while the table is read',
  write: 'ACCESS EXCLUSIVE: everyone waits while rows are written',
  index: 'SHARE: writers wait while the table is read',
  reference: 'SHARE ROW EXCLUSIVE on both tables: writers wait while they are read',
} as const
