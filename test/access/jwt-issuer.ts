/** An issuer of JSON Web Tokens with its key set, and a service that trusts it. */

import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SignJWT } from 'jose'
import { service } from '../../src/index.ts'
import { accounts, articles, notes, users, vaults } from './sample.ts'

export const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })

export const other = generateKeyPairSync('rsa', { modulusLength: 2048 })

export const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' })

export interface Jwks extends AsyncDisposable {
  readonly uri: string
  /** How often the key set was requested. */
  readonly fetches: number
  respond: (response: ServerResponse) => void
}

export function keySet(...keys: readonly (readonly [string, KeyObject])[]) {
  return { keys: keys.map(([kid, key]) => ({ ...key.export({ format: 'jwk' }), kid, use: 'sig' })) }
}

export const usual = keySet(['one', rsa.publicKey], ['curve', curve.publicKey])

export async function jwksServer(): Promise<Jwks> {
  let fetches = 0
  const host: { respond: Jwks['respond'] } = {
    respond: (response) => response.end(JSON.stringify(usual)),
  }
  const server = createServer((_, response) => {
    fetches += 1
    host.respond(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    uri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`,
    get fetches() {
      return fetches
    },
    set respond(respond: Jwks['respond']) {
      host.respond = respond
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export const issuer = 'https://id.example'

export const audience = 'https://shop.example'

export function definitionOf(jwks: string, more: object = {}) {
  return service({
    title: 'JWT',
    accounts,
    issuers: [{ issuer, audience, jwks, algorithms: ['RS256', 'ES256'], ...more }],
    resources: { users, articles, notes, vaults },
  })
}

interface Wish {
  readonly header?: Record<string, unknown>
  readonly claims?: Record<string, unknown>
  readonly key?: KeyObject | Uint8Array
}

export function jwt({ header = {}, claims = {}, key = rsa.privateKey }: Wish = {}): Promise<string> {
  const exp = Math.floor(Date.now() / 1000) + 600
  return new SignJWT({ iss: issuer, aud: audience, sub: 'ada', exp, ...claims })
    .setProtectedHeader({ alg: 'RS256', kid: 'one', ...header })
    .sign(key)
}
