/** A provider of OpenID Connect that can misbehave, and a browser's way through a service that trusts it. */

import { generateKeyPairSync } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SignJWT, UnsecuredJWT } from 'jose'
import type { Reply, TestService } from '../../service.ts'

const own = generateKeyPairSync('rsa', { modulusLength: 2048 })
const foreign = generateKeyPairSync('rsa', { modulusLength: 2048 })

/** What the provider says of the person, and what it does wrong. */
export interface Behaviour {
  /** Claims of the ID token, besides the right ones. */
  claims: Record<string, unknown>
  /** Claims of the UserInfo endpoint, which the provider has where this is set at first; undefined: it has none. */
  userInfo: Record<string, unknown> | undefined
  /** Members of the discovery document. */
  discovery: Record<string, unknown>
  signature: 'own' | 'foreign' | 'none'
}

export interface FakeProvider extends AsyncDisposable {
  readonly issuer: string
  readonly behaviour: Behaviour
  /** The parameters of the requests to the token endpoint. */
  readonly redeemed: readonly URLSearchParams[]
  /** A code for the nonce, good for one use. */
  issueCode(nonce: string): string
}

export const clientId = 'club'
export const variables = { ID_SECRET: 'a secret of the client' }

export async function startFakeProvider(): Promise<FakeProvider> {
  const behaviour: Behaviour = { claims: {}, userInfo: undefined, discovery: {}, signature: 'own' }
  const codes = new Map<string, string>()
  const redeemed: URLSearchParams[] = []
  const server = createServer((request, response) => void respond(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const send = (body: unknown, status = 200) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    switch (request.url) {
      case '/.well-known/openid-configuration':
        return void send(discovery())
      case '/jwks':
        return void send({ keys: [{ ...own.publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig' }] })
      case '/token': {
        const sent = new URLSearchParams(await text(request))
        redeemed.push(sent)
        const nonce = codes.get(sent.get('code') ?? '')
        codes.delete(sent.get('code') ?? '')
        if (nonce === undefined) return void send({ error: 'invalid_grant' }, 400)
        const tokens = { access_token: 'access', token_type: 'bearer', id_token: await idToken(nonce) }
        return void send(tokens)
      }
      case '/me':
        return void send(behaviour.userInfo)
      default:
        return void send({}, 404)
    }
  }

  function discovery() {
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      ...(behaviour.userInfo && { userinfo_endpoint: `${issuer}/me` }),
      id_token_signing_alg_values_supported: ['RS256'],
      response_types_supported: ['code'],
      authorization_response_iss_parameter_supported: true,
      ...behaviour.discovery,
    }
  }

  function idToken(nonce: string): Promise<string> | string {
    const at = Math.floor(Date.now() / 1000)
    const claims = {
      iss: issuer,
      aud: clientId,
      sub: 'ada',
      nonce,
      iat: at,
      exp: at + 600,
      auth_time: at,
      ...behaviour.claims,
    }
    if (behaviour.signature === 'none') return new UnsecuredJWT(claims).encode()
    const { privateKey } = behaviour.signature === 'own' ? own : foreign
    return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'one' }).sign(privateKey)
  }

  return {
    issuer,
    behaviour,
    redeemed,
    issueCode(nonce) {
      const code = `code-${codes.size}-${redeemed.length}-${nonce}`
      codes.set(code, nonce)
      return code
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A sign-in that has begun: the parameters that the provider got, and the cookie of the flow. */
export interface BegunFlow {
  readonly reply: Reply
  /** Where the browser goes. */
  readonly uri: string
  readonly sent: URLSearchParams
  readonly cookie: string
}

export async function begin(
  s: TestService,
  fields: Record<string, string> = {},
  next = '',
): Promise<BegunFlow> {
  const reply = await s.request(`GET /sign-in/id${next}`, { accept: 'text/html', ...fields })
  return flowOf(reply, reply.fields.location)
}

/** Begins a link of the provider to the account of a session. */
export async function beginLink(
  s: TestService,
  fields: Record<string, string>,
  values: Record<string, string> = {},
): Promise<BegunFlow> {
  const form = { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' }
  const content = new URLSearchParams(values).toString()
  const reply = await s.request('POST /sign-in/id', { ...form, ...fields }, content)
  const [, uri] = /content="0;url=([^"]+)"/.exec(reply.text) ?? []
  return flowOf(reply, uri?.replaceAll('&amp;', '&'))
}

function flowOf(reply: Reply, uri = 'about:blank'): BegunFlow {
  const cookie = (reply.fields['set-cookie']?.[0] ?? '').split(';')[0] ?? ''
  return { reply, uri, sent: new URL(uri).searchParams, cookie }
}

/** The callback of the provider, as a navigation from its site. */
export function callback(
  s: TestService,
  { cookie }: Pick<BegunFlow, 'cookie'>,
  parameters: Record<string, string>,
  path = '/sign-in/id/callback',
): Promise<Reply> {
  const query = new URLSearchParams(parameters)
  return s.request(`GET ${path}?${query}`, { accept: 'text/html', 'sec-fetch-site': 'cross-site', cookie })
}

/** The whole way of a person; `fields` come with its first request. */
export async function arrive(
  s: TestService,
  provider: FakeProvider,
  { fields = {}, next = '' }: { readonly fields?: Record<string, string>; readonly next?: string } = {},
): Promise<Reply> {
  return finish(s, provider, await begin(s, fields, next))
}

/** The answer of the provider to a flow. */
export function finish(s: TestService, provider: FakeProvider, flow: BegunFlow): Promise<Reply> {
  const state = flow.sent.get('state') ?? ''
  const code = provider.issueCode(flow.sent.get('nonce') ?? '')
  return callback(s, flow, { code, state, iss: provider.issuer })
}

/** The whole way of a person who is signed in and links the provider. */
export async function link(
  s: TestService,
  provider: FakeProvider,
  fields: Record<string, string>,
  values: Record<string, string> = {},
): Promise<Reply> {
  return finish(s, provider, await beginLink(s, fields, values))
}

/** The cookie of the session that a reply begins; undefined where it begins none. */
export function sessionOf({ fields }: Reply): Record<string, string> | undefined {
  const set = (fields['set-cookie'] ?? []).find((one) => /^restwell=rw_/.test(one))
  return set === undefined ? undefined : { cookie: set.split(';')[0] ?? '', 'sec-fetch-site': 'same-origin' }
}
