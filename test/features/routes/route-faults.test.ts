/** Faults of the routes of a definition, each with its place and a suggestion. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DefinitionFault } from '../../../src/definition/definition-fault.ts'
import {
  anyone,
  env,
  github,
  hmac,
  openService,
  resource,
  role,
  route,
  self,
  service,
  signedIn,
  stripe,
  text,
} from '../../../src/index.ts'
import { checkDefinition } from '../../../src/service/check-definition.ts'

const notes = resource({ title: text() }, { access: { read: anyone }, formerly: ['memos'] })

function faultsOf(own: unknown): string {
  try {
    checkDefinition(service({ title: 'Notes', resources: { notes } }, { '/': own } as object))
  } catch (error) {
    if (error instanceof DefinitionFault) return error.message.split('\n').slice(1).join('\n').trim()
    throw error
  }
  return ''
}

const run = () => new Response()
const simple = { methods: ['POST'], by: anyone, run }
const withRoute = (options: object) => ({ routes: { '/hooks/a': route({ ...simple, ...options } as never) } })
const at = "Logic '/': Route '/hooks/a': "

const faults: readonly (readonly [own: unknown, message: string])[] = [
  [withRoute({ cookie: 'yes' }), `${at}The option 'cookie' must be true or false`],
  [
    withRoute({ time: '2 minutes' }),
    `${at}The option 'time' must be a duration from '1 second' to '1 minute'`,
  ],
  [
    withRoute({ verify: true }),
    'Not a verifier: true. Use stripe(), github(), standardWebhooks(), hmac(), or a function.',
  ],
  [
    withRoute({ verify: hmac({ secret: 'text', header: 'X-Signature' }) }),
    'must be a variable of the environment',
  ],
  [{ routes: { '/*': route(simple as never) } }, "Route '/*': A path has segments of letters"],
  [{ routes: { '/a/*/b': route(simple as never) } }, "Route '/a/*/b': A path has segments of letters"],
  [{ routes: { '/notes/*': route(simple as never) } }, 'The paths below /notes are those of a collection.'],
  [[], "Logic '/': Must be an object, not []."],
  [{ route: {} }, "Logic '/': Unknown option 'route'. Did you mean 'routes'?"],
  [{ routes: [] }, "Logic '/': 'routes' must be an object, not []."],
  [{ routes: { '/hooks/a': run } }, `${at}Not a route: a function. Write: route({`],
  [{ routes: { 'hooks/a': route(simple as never) } }, "Route 'hooks/a': A path has segments of letters"],
  [{ routes: { 'hooks/a': route(simple as never) } }, "Did you mean '/hooks/a'?"],
  [{ routes: { '/-/a': route(simple as never) } }, "Route '/-/a': A path has segments of letters"],
  [{ routes: { '/a/../b': route(simple as never) } }, "Route '/a/../b': A path has segments of letters"],
  [{ routes: { '/notes/a': route(simple as never) } }, 'The paths below /notes are those of a collection.'],
  [{ routes: { '/memos': route(simple as never) } }, 'The paths below /memos are those of a collection.'],
  [
    { routes: { '/health': route(simple as never) } },
    'The path /health is reserved. Choose another first segment.',
  ],
  [withRoute({ methods: [] }), `${at}The option 'methods' must be a list of methods, of GET, POST`],
  [withRoute({ methods: ['post'] }), `${at}The option 'methods' must be a list of methods`],
  [withRoute({ run: undefined }), `${at}The option 'run' is missing. Write: run(request, tools) { … }.`],
  [withRoute({ maxSize: '11 MB' }), `${at}The option 'maxSize' must be`],
  [withRoute({ once: () => '1' }), `${at}'once' needs the event of 'verify'.`],
  [withRoute({ verfy: 1 }), `${at}Unknown option 'verfy'. Did you mean 'verify'?`],
  [withRoute({ verify: stripe('secret' as never) }), "'verify': The option 'secret' must be a variable"],
  [
    withRoute({ verify: stripe(env('A'), { tolerance: '2 days' }) }),
    "'verify': The option 'tolerance' must be",
  ],
  [withRoute({ verify: hmac({ secret: env('A') } as never) }), "'verify': The option 'header' is missing."],
  [
    withRoute({ verify: hmac({ secret: env('A'), header: 'X-A', timestamp: 'X-T' }) }),
    "'verify': With 'timestamp' the signed text must contain the time.",
  ],
  [
    withRoute({
      verify: hmac({ secret: env('A'), header: 'X-A', timestamp: 'X-T', signed: ({ content }) => content }),
    }),
    "'verify': With 'timestamp' the signed text must contain the time.",
  ],
  [
    withRoute({ verify: hmac({ secret: env('A'), header: 'X-A', tolerance: '1 minute' }) }),
    "'verify': 'tolerance' needs the time of signing. Write: timestamp: 'X-Timestamp'.",
  ],
  [
    withRoute({ verify: github(env('A'), { tolerance: '1 minute' } as never) }),
    "'verify': 'tolerance' has no meaning: GitHub signs no time. Remove it.",
  ],
  [
    withRoute({ by: signedIn }),
    `${at}'by': The rule signedIn needs accounts, but the service declares none.`,
  ],
  [withRoute({ by: role('editor') }), `${at}'by': The rule role needs accounts`],
  [withRoute({ cookie: true }), `${at}'cookie' needs accounts, but the service declares none.`],
  [withRoute({ by: self }), `${at}'by': The rule self depends on an item, and a route has none.`],
]

test('each fault of a route is reported with its place', () => {
  for (const [own, message] of faults) {
    const found = faultsOf(own)
    assert.ok(found.includes(message), `${found}\n${message}`)
  }
  assert.equal(faultsOf(withRoute({ verify: stripe(env('A')), once: () => '1', by: undefined })), '')
})

test('a start without the variable of a secret is refused, with its name', async () => {
  const routes = { '/hooks/a': route({ methods: ['POST'], verify: stripe(env('RESTWELL_TEST_UNSET')), run }) }
  const definition = service({ title: 'Notes', resources: { notes } }, { '/': { routes } })
  await assert.rejects(openService(definition, { database: 'file::memory:' }), /RESTWELL_TEST_UNSET/)
})
