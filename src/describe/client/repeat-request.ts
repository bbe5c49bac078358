/** When a request is repeated, and the key that makes it safe. Part of the client, which is one module. */

/** Milliseconds: Retry-After, else exponential back-off; undefined: do not retry. */
export function retryDelay(response: Response | undefined, before: number): number | undefined {
  if (response && ![429, 503].includes(response.status)) return undefined
  const seconds = Number(response?.headers.get('retry-after') ?? Number.NaN)
  if (seconds > 60) return undefined
  return seconds >= 0 ? seconds * 1000 : 100 * 2 ** before * (1 + Math.random())
}

/** Without `crypto.randomUUID`, which browsers offer over TLS only. */
export function randomKey(): string {
  const octets = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(octets, (octet) => octet.toString(16).padStart(2, '0')).join('')
}
