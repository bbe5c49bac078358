/** Cookies that only this service can make and read: what a browser is about to do, so that the service stores nothing. */

import { findCookie, formatSetCookie, type SetCookie } from '../http/cookie.ts'
import type { HttpRequest, Peer } from '../http/message.ts'
import type { ValueEncryption } from '../tools/value-encryption.ts'
import { sessionCookieName } from './session-cookie.ts'

interface SealedCookieOptions extends Pick<SetCookie, 'sameSite'> {
  /** Follows the name of the session cookie. A value of a cookie with another name is not accepted. */
  readonly name: string
  /** In seconds. */
  readonly lifetime: number
}

export interface SealedCookie<Value extends object> {
  /** Returns the value of Set-Cookie. */
  format(client: Peer, encryption: ValueEncryption, value: Value): string
  /** Returns the value of Set-Cookie that ends it. */
  formatExpired(client: Peer): string
  /** The value; undefined where the browser sends none that was made here. */
  find(request: Pick<HttpRequest, 'fields' | 'client'>, encryption: ValueEncryption): Value | undefined
}

export function sealedCookie<Value extends object>(options: SealedCookieOptions): SealedCookie<Value> {
  const { name: purpose, lifetime, sameSite } = options
  const nameFor = (client: Peer) => `${sessionCookieName(client)}-${purpose}`
  function format(client: Peer, value: string, maxAge: number): string {
    const name = nameFor(client)
    return formatSetCookie({ name, value, maxAge, secure: client.secure, ...(sameSite && { sameSite }) })
  }
  return {
    format(client, encryption, value) {
      const octets = Buffer.from(JSON.stringify(value))
      return format(client, encryption.encrypt(purpose, octets), lifetime)
    },
    formatExpired: (client) => format(client, '', 0),
    find({ fields, client }, encryption) {
      const sealed = findCookie(fields.cookie, nameFor(client))
      if (sealed === undefined) return undefined
      try {
        // Encrypted by `format`.
        return JSON.parse(encryption.decrypt(purpose, sealed).toString()) as Value
      } catch {
        // It was made with another key, or changed.
        return undefined
      }
    },
  }
}
