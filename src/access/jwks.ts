/**
 * An issuer's public keys (RFC 7517), fetched from the one place its configuration names, kept,
 * and fetched again when they grow old or a key is unknown: never more than once in 30 seconds,
 * whatever tokens arrive and whatever the other side answers.
 */

import { createLocalJWKSet, type JSONWebKeySet } from 'jose'

/** As jose takes it to find the key of a token. */
export type KeySet = ReturnType<typeof createLocalJWKSet>

export interface KeySource {
  /** The keys at hand; waits for them where there are none yet. Undefined where none can be had. */
  current(): Promise<KeySet | undefined>
  /** Newer keys than these, where it is time to look; else undefined. */
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
      // Keys that were good a while ago still are; without any, callers are told to come back.
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
  // A redirect could lead anywhere, so none is followed.
  const response = await fetch(uri, {
    redirect: 'error',
    signal: AbortSignal.timeout(timeout),
    headers: { accept: 'application/jwk-set+json, application/json' },
  })
  if (response.status !== 200) {
    await response.body?.cancel()
    throw new Error(`The keys at ${uri} were answered with ${response.status}`)
  }
  return JSON.parse(await readBoundedText(response, uri)) as JSONWebKeySet
}

async function readBoundedText(response: Response, uri: string): Promise<string> {
  const parts: Uint8Array[] = []
  let octets = 0
  for await (const part of response.body ?? []) {
    octets += part.length
    if (octets > maxOctets) throw new Error(`The keys at ${uri} are larger than ${maxOctets}`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}
