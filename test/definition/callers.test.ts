/** Callers in a definition: issuers, origins and the built-in tokens. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatRule } from '../../src/access/rule-description.ts'
import { DefinitionFault } from '../../src/definition/definition-fault.ts'
import {
  and,
  anyone,
  caller,
  callerField,
  exists,
  its,
  nobody,
  not,
  or,
  owner,
  ref,
  resource,
  role,
  self,
  service,
  signedIn,
  text,
  where,
} from '../../src/index.ts'
import { readConfig } from '../../src/operation/configuration/config.ts'
import { checkDefinition } from '../../src/service/check-definition.ts'
import { OperatorFault } from '../../src/tools/operator-fault.ts'
import { accounts, users } from '../access/sample.ts'

const things = resource({ name: text() }, { access: { read: anyone } })
const issuer = {
  issuer: 'https://id.example',
  audience: 'shop',
  jwks: 'https://id.example/jwks.json',
  algorithms: ['RS256'],
}

function faults(options: object): string {
  try {
    checkDefinition(service({ title: 'x', resources: { things }, ...options } as never))
  } catch (error) {
    if (error instanceof DefinitionFault) return error.message
    throw error
  }
  return ''
}

test('an issuer is modelled as declared', () => {
  const model = checkDefinition(
    service({
      title: 'x',
      accounts,
      issuers: [{ ...issuer, login: 'email', roles: 'groups' }],
      resources: { users },
    }),
  )
  assert.deepEqual(model.issuers, [{ ...issuer, audience: ['shop'], login: 'email', roles: 'groups' }])
  for (const jwks of ['http://localhost:1/jwks', 'http://127.0.0.1/jwks', 'http://[::1]:8/jwks']) {
    assert.equal(faults({ issuers: [{ ...issuer, jwks }] }), '')
  }
})

test('an invalid issuer is refused', () => {
  for (const [bad, said] of [
    [{ jwks: 'http://id.example/jwks.json' }, /must be an https URI/],
    [{ jwks: 'ftp://id.example/' }, /must be an https URI/],
    [{ jwks: 'https://user:pass@id.example/' }, /must be an https URI/],
    [{ jwks: 'not a URI' }, /must be an https URI/],
    [{ algorithms: ['HS256'] }, /Unknown algorithm 'HS256'/],
    [{ algorithms: ['none'] }, /Unknown algorithm 'none'/],
    [{ algorithms: ['RS255'] }, /Did you mean 'RS256'\?/],
    [{ algorithms: [] }, /algorithms/],
    [{ audience: undefined }, /The option 'audience' is missing/],
    [{ audience: [] }, /audience/],
    [{ issuer: '' }, /issuer/],
    [{ login: 'email' }, /needs accounts/],
    [{ jku: 'x' }, /Unknown option 'jku'/],
  ] as const) {
    assert.match(faults({ issuers: [{ ...issuer, ...bad }] }), said, JSON.stringify(bad))
  }
  assert.match(faults({ issuers: [issuer, issuer] }), /is declared twice/)
  assert.match(faults({ issuers: issuer }), /Must be a list/)
})

test('an origin is exactly what a browser sends', () => {
  assert.equal(faults({ origins: ['https://app.example', 'http://localhost:5173'] }), '')
  for (const [origin, said] of [
    ['*', /without wildcards/],
    ['https://*.example', /not an origin/],
    ['null', /not an origin/],
    ['https://app.example/', /Did you mean 'https:\/\/app\.example'\?/],
    ['https://APP.example', /Did you mean 'https:\/\/app\.example'\?/],
    ['https://app.example:443', /Did you mean/],
    ['app.example', /not an origin/],
    [3, /not an origin/],
  ] as const) {
    assert.match(faults({ origins: [origin] }), said, String(origin))
  }
})

test('tokens are a built-in resource of services with accounts', () => {
  const model = checkDefinition(service({ title: 'x', accounts, resources: { users } }))
  assert.equal(model.tokens, model.resources.get('tokens'))
  assert.equal(model.tokens?.traits.name, 'tokens')
  assert.equal(checkDefinition(service({ title: 'x', resources: { things } })).tokens, undefined)
  const keys = resource({ token: ref('tokens') }, { access: { read: anyone } })
  assert.match(faults({ accounts, resources: { users, keys } }), /reference to 'tokens' is not possible/)
  assert.match(faults({ resources: { tokens: things } }), /The path \/tokens is reserved/)
})

test('with issuers and without accounts, role and signedIn are allowed and owner is not', () => {
  const open = resource({ name: text() }, { access: { read: signedIn, create: role('any') } })
  assert.equal(faults({ issuers: [issuer], resources: { open } }), '')
  assert.match(faults({ resources: { open } }), /needs accounts/)
  const own = resource({ name: text() }, { access: { read: self } })
  assert.match(faults({ issuers: [issuer], resources: { own } }), /needs accounts/)
})

test('a rule is described in words', () => {
  for (const [rule, words] of [
    [anyone, 'anyone'],
    [nobody, 'nobody'],
    [role('editor', 'admin'), 'the role editor or admin'],
    [owner('article.author'), 'the account in article.author'],
    [where({ status: ['a', 'b'], open: true }), 'anyone where status is a or b and open is true'],
    [
      where({ 'project.public': true, team: callerField('team'), author: caller }),
      "anyone where project.public is true and team is the caller's team and author is the caller",
    ],
    [
      exists('members', { user: caller, team: its('project.team'), role: ['lead', 'admin'] }),
      "anyone for whom members has an item where user is the caller and team is this item's project.team and role is lead or admin",
    ],
    [exists('members', { of: its('id') }), 'anyone for whom members has an item where of is this item'],
    [or(self, signedIn), 'the account itself; or any signed-in caller'],
    [
      and(signedIn, or(self, role('x'))),
      'any signed-in caller and at the same time (the account itself; or the role x)',
    ],
    [not(role('banned')), 'all but the role banned'],
  ] as const) {
    assert.equal(formatRule(rule), words)
  }
})

test('the definition is the first argument or --service, not both', () => {
  assert.equal(readConfig([], {}).file, 'service.ts')
  assert.equal(readConfig(['shop.ts'], {}).file, 'shop.ts')
  assert.equal(readConfig(['--service', 'shop.ts', '--port', '80'], {}).file, 'shop.ts')
  assert.throws(
    () => readConfig(['shop.ts', '--service', 'club.ts'], {}),
    /Expected one definition file, got 2/,
  )
})

test('the rate and the trusted proxies are read from the environment, flags first', () => {
  assert.equal(readConfig([], {}).rate, 1200)
  assert.equal(readConfig([], { RESTWELL_RATE: 'off' }).rate, 'off')
  assert.equal(readConfig([], { RESTWELL_RATE: '1' }).rate, 1)
  assert.equal(readConfig([], {}).pageOctets, 4_000_000)
  assert.equal(readConfig([], { RESTWELL_PAGE_OCTETS: '10000' }).pageOctets, 10_000)
  for (const octets of ['9999', '64000001', 'off', '']) {
    assert.throws(() => readConfig([], { RESTWELL_PAGE_OCTETS: octets }), /RESTWELL_PAGE_OCTETS/)
  }
  const flags = ['--trust-proxy', '10.0.0.0/8', '--trust-proxy', '192.0.2.1,2001:db8::/32']
  const { trusted } = readConfig(flags, { RESTWELL_TRUST_PROXY: '127.0.0.1' })
  assert.deepEqual(['10.1.1.1', '192.0.2.1', '2001:db8::9', '127.0.0.1'].map(trusted.has), [
    true,
    true,
    true,
    false,
  ])
  assert.equal(readConfig([], { RESTWELL_TRUST_PROXY: '127.0.0.1, ::1' }).trusted.has('::1'), true)
  assert.equal(readConfig([], {}).trusted.has('127.0.0.1'), false)
  for (const bad of [
    { RESTWELL_RATE: '0' },
    { RESTWELL_RATE: '-1' },
    { RESTWELL_RATE: 'x' },
    { RESTWELL_TRUST_PROXY: 'true' },
    { RESTWELL_TRUST_PROXY: '1' },
    { RESTWELL_TRUST_PROXY: '0.0.0.0/0' },
  ]) {
    assert.throws(() => readConfig([], bad), OperatorFault)
  }
})

test('replicas are URLs of PostgreSQL, separated by commas', () => {
  const of = (DATABASE_REPLICAS: string, DATABASE_URL = 'postgres://a/b') =>
    readConfig([], { DATABASE_REPLICAS, DATABASE_URL }).replicas
  assert.deepEqual(readConfig([], {}).replicas, [])
  assert.deepEqual(of('postgres://u@one,two/db, postgresql://three/db'), [
    'postgres://u@one,two/db',
    'postgresql://three/db',
  ])
  assert.throws(() => of('mysql://x'), OperatorFault)
  assert.throws(() => of('postgres://x/y', 'file:data.db'), /needs a PostgreSQL database/)
})
