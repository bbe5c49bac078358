/** One state of a database, for a backup. */

import type { MigrationStep } from '../schema/migration-plan.ts'
import { StoreOpenError } from '../store.ts'
import type { CopyOrigin } from './copy-interfaces.ts'

/** A state of a database that no later write changes. */
export interface Snapshot extends CopyOrigin {
  /** Data that the definition no longer has, and that is not part of the snapshot. */
  readonly omitted: readonly string[]
}

/** The data that the definition no longer has. Throws a StoreOpenError where the tables differ otherwise. */
export function requireFitting(database: string, steps: readonly MigrationStep[]): readonly string[] {
  if (steps.some(({ effect }) => effect !== 'drops')) {
    const remedy = 'Name the definition that it is served with, or restart the service with this one.'
    throw new StoreOpenError(`The database ${database} does not fit the definition. ${remedy}`)
  }
  return steps.filter(({ loss }) => loss !== undefined).map(({ line }) => line)
}
