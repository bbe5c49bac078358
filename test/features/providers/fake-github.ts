/** A small GitHub Enterprise: the endpoints of the code flow with PKCE, and the two of the API that are read. */

import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export const clientId = 'club'
export const clientSecret = 'a secret of the client'

export interface FakeGitHub extends AsyncDisposable {
  readonly url: string
  /** What the API says of the person; undefined: 403. */
  user: unknown
  emails: unknown
  /** The status of the API. */
  status: number
  /** The requests to the API: their path and Authorization. */
  readonly asked: (readonly [string | undefined, string | undefined])[]
  /** The person agrees to a request for authorization: a code, good for one use. */
  authorize(sent: URLSearchParams): string
}

export async function startFakeGitHub(): Promise<FakeGitHub> {
  const challenges = new Map<string, { readonly challenge: string; readonly redirectUri: string }>()
  let count = 0
  const server = createServer((request, response) => void respond(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const fake: FakeGitHub = {
    url,
    user: { id: 583_231, login: 'ada', name: 'Ada Lovelace', email: 'public@example.org' },
    emails: [
      { email: 'other@example.org', primary: false, verified: true },
      { email: 'ada@example.org', primary: true, verified: true },
    ],
    status: 200,
    asked: [],
    authorize(sent) {
      count += 1
      const code = `code-${count}`
      const [challenge = '', redirectUri = ''] = [
        sent.get('code_challenge') ?? '',
        sent.get('redirect_uri') ?? '',
      ]
      challenges.set(code, { challenge, redirectUri })
      return code
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const send = (body: unknown, status = 200) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    // GitHub sends faults of this endpoint with 200, and a form where JSON is not asked for.
    if (request.url === '/login/oauth/access_token' && request.headers.accept === 'application/json') {
      return void send(redeem(new URLSearchParams(await text(request))))
    }
    const path = request.url?.split('?')[0]
    fake.asked.push([request.url, request.headers.authorization])
    const content = { '/api/v3/user': fake.user, '/api/v3/user/emails': fake.emails }[path ?? '']
    if (content === undefined || request.headers.authorization !== `Bearer token-${count}`) {
      return void send({ message: 'Forbidden' }, 403)
    }
    send(content, fake.status)
  }

  function redeem(sent: URLSearchParams): object {
    const code = sent.get('code') ?? ''
    const known = challenges.get(code)
    challenges.delete(code)
    const verifier = createHash('sha256').update(sent.get('code_verifier') ?? '')
    const isRight =
      sent.get('client_id') === clientId &&
      sent.get('client_secret') === clientSecret &&
      sent.get('redirect_uri') === known?.redirectUri &&
      verifier.digest('base64url') === known?.challenge
    return isRight
      ? { access_token: `token-${count}`, scope: 'user:email', token_type: 'bearer' }
      : { error: 'bad_verification_code', error_description: 'The code is incorrect or expired.' }
  }

  return fake
}
