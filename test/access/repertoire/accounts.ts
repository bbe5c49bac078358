/** Requests on accounts and credentials: sign-in, second factors, tokens, links in mails. */

import fc from 'fast-check'
import { type Kind, request, type World } from './step.ts'
import { anyUri } from './targets.ts'

export const accounts = {
  'links in mails': (world) =>
    fc.oneof(
      request(
        world,
        fc.constantFrom(
          'GET /password-resets',
          'GET /password-resets/unknown',
          'GET /verifications',
          'GET /verifications/unknown',
          'GET /verifications?format=hal-forms',
          'GET /password-resets?format=hal-forms',
          'GET /invitations',
          'GET /invitations/unknown',
          'GET /sign-in-links',
          'GET /sign-in-links?next=/vaults&format=html',
          'GET /sign-in-links/unknown',
          'GET /mails',
          'GET /mails/unknown',
        ),
      ),
      request(
        world,
        fc.constantFrom(
          'POST /password-resets',
          'POST /password-resets/unknown',
          'POST /verifications',
          'POST /verifications/unknown',
          'POST /sign-in-links',
          'POST /sign-in-links/unknown',
          'POST /invitations',
          'POST /mails/unknown',
        ),
        fc.constant({}),
        fc.oneof(
          fc.constantFrom(...world.logins).map((login) => ({ login })),
          fc.constant({ password: 'a new password' }),
        ),
      ),
    ),
  // Addresses of accounts are left out: their invitation is refused, by design.
  'an invitation': (world) =>
    request(
      world,
      fc.constantFrom('POST /invitations', 'POST /invitations?format=html', 'POST /invitations?dry-run=true'),
      fc.constant({}),
      fc.record(
        {
          email: fc.constantFrom('friend@example.net', 'other@example.net', 'no address'),
          role: fc.constantFrom('member', 'editor', 'admin'),
          record: fc.record(
            {
              article: fc.constantFrom(...world.articles, 'unknown'),
              rank: fc.constantFrom('high', 'none'),
              user: fc.constantFrom(...world.users),
            },
            { requiredKeys: ['article'] },
          ),
        },
        { requiredKeys: ['email'] },
      ),
    ),
  'second factors of accounts': (world) =>
    fc.oneof(
      request(
        world,
        fc
          .tuple(fc.constantFrom('GET', 'HEAD', 'DELETE', 'OPTIONS'), anyCredential(world))
          .map(([method, uri]) => `${method} ${uri}`),
      ),
      request(
        world,
        fc
          .tuple(
            fc.constantFrom(...world.users),
            fc.constantFrom('', '?format=hal-forms', '?format=html', '?format=csv', '?kind=totp'),
          )
          .map(([id, query]) => `GET /users/${id}/credentials${query}`),
      ),
      request(
        world,
        anyCredential(world).map((uri) => `POST ${uri}/confirm`),
        fc.constant({}),
        fc.constant({ code: '000000' }),
      ),
      request(
        world,
        fc.constantFrom(
          'GET /sign-in/second-factor',
          'HEAD /sign-in/passkey',
          'GET /sign-in/id',
          'GET /sign-in/id/callback?code=x&state=y',
          'GET /users?embed=credentials&fields=name',
        ),
      ),
    ),
  'accounts that are disabled': (world) =>
    request(world, fc.constantFrom('GET /users?disabled=true', 'GET /users?disabled=false&limit=2')),
  'a new token': (world) =>
    request(
      world,
      fc.constant('POST /tokens'),
      fc.constant({}),
      fc.record(
        {
          scopes: fc.constantFrom(['articles:read'], ['vaults:read'], ['users:grant'], ['nothing:read'], []),
          expiresIn: fc.constantFrom(60, 0),
        },
        { requiredKeys: [] },
      ),
    ),
  'signing in': (world) =>
    request(
      world,
      fc.constantFrom('POST /sign-in', 'POST /sign-in/second-factor', 'POST /sign-in/id'),
      fc.constant({}),
      fc.oneof(
        fc.constantFrom(...world.logins).map((login) => ({ login, password: 'a wrong password' })),
        fc.constantFrom({ code: '000000' }, { currentPassword: 'a wrong password' }, {}),
      ),
    ),
  'signing out': (world) =>
    request(
      world,
      fc.constant('POST /sign-out'),
      fc.constantFrom('same-origin', 'cross-site', 'none').map((site) => ({ 'sec-fetch-site': site })),
    ),
  'a login that may or may not exist': (world) =>
    fc.tuple(fc.constantFrom(...world.logins), anyUri(world)).map(([login, uri]) => () => ({
      line: `GET ${uri}`,
      fields: {
        authorization: `Basic ${Buffer.from(`${login}:wrong password`).toString('base64')}`,
      },
    })),
} satisfies Readonly<Record<string, Kind>>

function anyCredential(world: World): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(...world.users), fc.constantFrom(...world.accountCredentials))
    .map(([id, credential]) => `/users/${id}/credentials/${credential}`)
}
