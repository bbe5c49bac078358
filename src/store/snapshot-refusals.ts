/** Refusals of a snapshot: of reads after its end, and of writes. */

import { StoreUnavailable } from './store.ts'

export function snapshotEnded(): StoreUnavailable {
  return new StoreUnavailable('slow', 'The snapshot has ended.')
}

export async function refuseWrite(): Promise<never> {
  throw new Error('A snapshot cannot write.')
}
