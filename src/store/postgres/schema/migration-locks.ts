/**
 * What a step of a migration locks, by the table of PostgreSQL's documentation §13.3.1. All steps
 * are one transaction: a lock that one has taken is held until the last is done.
 */

export const locks = {
  /** Only the catalogue is changed. */
  brief: 'ACCESS EXCLUSIVE: everyone waits for a moment',
  /** `set not null` looks at every row; nothing is rewritten. */
  scan: 'ACCESS EXCLUSIVE: everyone waits while the table is read',
  write: 'ACCESS EXCLUSIVE: everyone waits while rows are written',
  index: 'SHARE: writers wait while the table is read',
  reference: 'SHARE ROW EXCLUSIVE on both tables: writers wait while they are read',
} as const
