/** The data of a queued delivery besides its webhook: the entry of the log as it was, or nothing for a test. */

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
