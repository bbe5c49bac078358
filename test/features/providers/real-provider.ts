/** The provider of npm's oidc-provider, with people who are signed in there, and a browser that follows its redirects. */

import { generateKeyPairSync } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'
import { clientId, variables } from './fake-provider.ts'

export interface RealProvider extends AsyncDisposable {
  readonly issuer: string
  /** To be called when the address of the service is known. */
  register(callback: string): void
  /** The person who is signed in there from now on. */
  signIn(person: string): void
  /** Follows an authorization request to the callback, as the person; returns the URI of the callback. */
  authorize(uri: string, person: string): Promise<string>
}

export async function startRealProvider(): Promise<RealProvider> {
  let listener: RequestListener = (_request, response) => void response.writeHead(503).end()
  const server = createServer((request, response) => listener(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  let person = ''

  function register(callback: string): void {
    const provider = new Provider(issuer, {
      clients: [
        {
          client_id: clientId,
          client_secret: variables.ID_SECRET,
          redirect_uris: [callback],
          token_endpoint_auth_method: 'client_secret_post',
        },
      ],
      pkce: { required: () => true },
      jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }] },
      cookies: { keys: ['a key of the test'] },
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
      features: { devInteractions: { enabled: false } },
      findAccount: (_context, id) => ({
        accountId: id,
        claims: async () => ({ sub: id, email: `${id}@example.org`, email_verified: true, name: id }),
      }),
      // The person consents to all.
      async loadExistingGrant({ oidc }) {
        const grant = new oidc.provider.Grant({ clientId, accountId: oidc.session?.accountId ?? '' })
        grant.addOIDCScope('openid email profile')
        await grant.save()
        return grant
      },
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    })
    const handle = provider.callback()
    listener = (request, response) => {
      if (!request.url?.startsWith('/interaction/')) return void handle(request, response)
      const result = { login: { accountId: person } }
      void provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false })
    }
  }

  return {
    issuer,
    register,
    signIn(name) {
      person = name
    },
    async authorize(uri, name) {
      person = name
      const cookies = new Map<string, string>()
      let next = uri
      while (next.startsWith(issuer)) {
        const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
        const response = await fetch(next, { redirect: 'manual', headers: { cookie } })
        for (const set of response.headers.getSetCookie()) {
          const [pair = ''] = set.split(';')
          cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
        }
        const location = response.headers.get('location')
        if (location === null) throw new Error(`${response.status} ${await response.text()}`)
        next = String(new URL(location, next))
      }
      return next
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
