/**
 * The public keys of an issuer (RFC 7517), fetched from the configured URI and cached. They are
 * fetched again when they are old or a token names an unknown key, at most once in 30 seconds.
 */

import { createLocalJWKSet, type JSONWebKeySet } from 'jose'

/** Finds the key of a token, for jose. */
export type KeySet = ReturnType<typeof createLocalJWKSet>

export interface KeySource {
  /** Returns the cached keys, or fetches the first ones; undefined when they cannot be fetched. */
  current(): Promise<KeySet | undefined>
  /** Returns newer keys than these; undefined when there are none or it is too early to fetch. */
  newer(than: KeySet): Promise<KeySet | undefined>
}

export interface KeySourceOptions {
  readonly uri: string
  readonly now: () => number
  /** Called with the cause when keys cannot be fetched. */
  readonly onFailure: (cause: unknown) => void
}

const cooldown = 30_000
const freshFor = 10 * 60_000
const timeout = 3000
const maxOctets = 64 * 1024

export function createKeySource({ uri, now, onFailure }: KeySourceOptions): KeySource {
  let keys: KeySet | undefined
  let fetchedAt = 0
  let triedAt = Number.NEGATIVE_INFINITY
  let trying: Promise<void> | undefined

  async function fetchOnce(): Promise<void> {
    triedAt = now()
    try {
      keys = createLocalJWKSet(await fetchKeys(uri))
      fetchedAt = now()
    } catch (cause) {
      // The cached keys remain in use.
      onFailure(cause)
    }
  }

  /** Resolves at once while it is too early to try again. */
  function refresh(): Promise<void> {
    if (!trying && now() - triedAt < cooldown) return Promise.resolve()
    trying ??= fetchOnce().finally(() => {
      trying = undefined
    })
    return trying
  }

  return {
    async current() {
      if (!keys) await refresh()
      else if (now() - fetchedAt > freshFor) void refresh()
      return keys
    },
    async newer(than) {
      if (keys === than) await refresh()
      return keys === than ? undefined : keys
    },
  }
}

async function fetchKeys(uri: string): Promise<JSONWebKeySet> {
  // Redirects are refused: keys come from the configured URI only.
  const response = await fetch(uri, {
    redirect: 'error',
    signal: AbortSignal.timeout(timeout),
    headers: { accept: 'application/jwk-set+json, application/json' },
  })
  if (response.status !== 200) {
    await response.body?.cancel()
    throw new Error(`GET ${uri} returned ${response.status}`)
  }
  return JSON.parse(await readBoundedText(response, uri)) as JSONWebKeySet
}

async function readBoundedText(response: Response, uri: string): Promise<string> {
  const parts: Uint8Array[] = []
  let octets = 0
  for await (const part of response.body ?? []) {
    octets += part.length
    if (octets > maxOctets) throw new Error(`The keys at ${uri} have more than ${maxOctets} octets`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}
