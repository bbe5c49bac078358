/** Erasing queued deliveries: their entry of the change log has the values of its item. */

import { isEntryAbout } from '../../requests/events/stored-entry.ts'
import type { EraseWork } from '../../work/erase-work.ts'
import { parsePayload } from './work-payload.ts'

/** A delivery is removed, as entries without values are not delivered; a test has no values. */
export const eraseDelivery: EraseWork = async ({ payload }, item) => {
  const parsed = parsePayload(payload)
  return parsed.kind !== 'ping' && isEntryAbout(parsed.entry, item) ? [] : undefined
}
