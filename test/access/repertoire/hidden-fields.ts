/** Requests that write a field that the caller may not see: states, immutable fields, sets of references. */

import fc from 'fast-check'
import { type Kind, request, type World } from './step.ts'
import { anyTag } from './targets.ts'

export const hiddenFields = {
  'a transition of a hidden state': (world) =>
    request(
      world,
      fc
        .tuple(fc.constantFrom('PATCH', 'PUT'), fc.constantFrom(...world.cases))
        .map(([method, id]) => `${method} /cases/${id}`),
      anyTag,
      fc.record(
        { status: anyState, title: fc.constantFrom('changed', 'again') },
        { requiredKeys: ['status'] },
      ),
    ),
  'a hidden state in a JSON Patch': (world) =>
    request(
      world,
      fc.constantFrom(...world.cases).map((id) => `PATCH /cases/${id}`),
      fc.constant({ 'content-type': 'application/json-patch+json' }),
      fc
        .tuple(fc.constantFrom('add', 'replace', 'test'), anyState)
        .map(([op, value]) => [{ op, path: '/status', value }]),
    ),
  'a hidden immutable field': (world) =>
    request(
      world,
      fc
        .tuple(fc.constantFrom('PATCH', 'PUT'), fc.constantFrom(...world.cases))
        .map(([method, id]) => `${method} /cases/${id}`),
      anyTag,
      fc.record(
        {
          mark: fc.constantFrom<unknown>(...world.values, null),
          title: fc.constantFrom('changed', 'again'),
        },
        { requiredKeys: ['mark'] },
      ),
    ),
  'a set of references': (world) =>
    request(
      world,
      fc.tuple(fc.constantFrom('PATCH', 'PUT'), anyFolder(world)).map(([method, uri]) => `${method} ${uri}`),
      anyTag,
      fc.record(
        {
          // A new name, so that the version does not tell whether a hidden set is the same.
          name: fc.uuid(),
          articles: fc.array(fc.constantFrom(...world.articles), { maxLength: 5 }),
          kept: fc.array(fc.constantFrom(...world.articles), { maxLength: 2 }),
        },
        { requiredKeys: ['name'] },
      ),
    ),
  'a member of a set': (world) =>
    request(
      world,
      fc
        .tuple(
          fc.constantFrom('PUT', 'DELETE', 'GET', 'OPTIONS'),
          anyFolder(world),
          fc.constantFrom('articles', 'kept', 'nothing'),
          fc.constantFrom(...world.articles),
        )
        .map(([method, uri, set, id]) => `${method} ${uri}/${set}/${id}`),
      anyTag,
    ),
  'an index of a set in a JSON Patch': (world) =>
    request(
      world,
      anyFolder(world).map((uri) => `PATCH ${uri}`),
      fc.constant({ 'content-type': 'application/json-patch+json' }),
      fc
        .tuple(
          fc.constantFrom('add', 'remove', 'replace', 'test'),
          fc.constantFrom('articles', 'kept'),
          fc.constantFrom('-', '0', '1'),
          fc.constantFrom(...world.articles),
        )
        .map(([op, set, index, value]) => [{ op, path: `/${set}/${index}`, value }]),
    ),
} satisfies Readonly<Record<string, Kind>>

const anyState = fc.constantFrom('open', 'reviewed', 'closed', 'flagged', 'nothing')

function anyFolder(world: World): fc.Arbitrary<string> {
  return fc.constantFrom(...world.folders).map((id) => `/folders/${id}`)
}
