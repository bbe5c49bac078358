/** The data of a queued delivery besides its webhook: the entry of the log as it was, or nothing for a test. */

import { isEntryAbout } from '../../requests/events/stored-entry.ts'
import type { EraseWork } from '../../work/erase-work.ts'

export type WorkPayload =
  | { readonly kind: 'entry'; readonly message?: undefined; readonly entry: string }
  /** Repeats a message once, on request. */
  | { readonly kind: 'redelivery'; readonly message: string; readonly entry: string }
  /** A test, sent once. */
  | { readonly kind: 'ping'; readonly message: string }

export function formatPayload(payload: WorkPayload): string {
  return JSON.stringify(payload)
}

/** The payload of a text that `formatPayload` made. */
export function parsePayload(text: string): WorkPayload {
  return JSON.parse(text)
}

/** A delivery is removed, as entries without values are not delivered; a test has no values. */
export const eraseDelivery: EraseWork = async ({ payload }, item) => {
  const parsed = parsePayload(payload)
  return parsed.kind !== 'ping' && isEntryAbout(parsed.entry, item) ? [] : undefined
}
