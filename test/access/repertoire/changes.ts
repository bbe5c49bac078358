/** Requests for the change log: of the service and of an item. */

import fc from 'fast-check'
import { positionsIn } from '../../positions.ts'
import { anyCredentials, type Kind, request, type Step, type World } from './step.ts'
import { anyCollection, anyField, anyItem, anySubCollection, anyUri } from './targets.ts'

export const changes = {
  'the changes of the service': (world) =>
    request(
      world,
      fc
        .constantFrom('', '?limit=1', '?limit=2', '?format=xml', '?format=hal', '?format=html', '?limit=0')
        .map((query) => `GET /events${query}`),
    ),
  'the changes of a list': (world) =>
    request(
      world,
      fc
        .tuple(
          fc.oneof(anyCollection, anySubCollection(world)),
          fc.constantFrom('', '?limit=1', '?fields=title', '?format=hal', '?format=html', '?sort=title'),
          anyField,
        )
        .map(([uri, query, field]) => `GET ${uri}/-/events${query === '' ? `?${field}=a` : query}`),
    ),
  'the history of an item': (world) =>
    request(
      world,
      fc
        .tuple(
          anyItem(world),
          fc.constantFrom('', '?limit=1', '?format=hal', '?format=xml', '?format=csv', '?format=html'),
        )
        .map(([uri, query]) => `GET ${uri}/history${query}`),
    ),
  'a former version of an item': (world) => formerVersion(world),
  'the changes after an earlier response': (world) => resumed(world, {}),
  'a stream of changes': (world) => resumed(world, { accept: 'text/event-stream' }),
} satisfies Readonly<Record<string, Kind>>

/** A version of an earlier response to any caller, of this item or of another. */
function formerVersion(world: World): fc.Arbitrary<Step> {
  const formats = fc.constantFrom('', '?format=hal-forms', '?format=html')
  return fc
    .tuple(anyItem(world), formats, anyCredentials(world), fc.nat())
    .map(([uri, format, fields, at]) => (responses) => {
      const versions = responses.flatMap(({ text }) =>
        [...text.matchAll(/"version":"([\w-]{22})"|\/history\/([\w-]{22})/g)].map(([, a, b]) => a ?? b),
      )
      return { line: `GET ${uri}/history/${versions[at % versions.length] ?? 'x'}${format}`, fields }
    })
}

/** From a position of an earlier response to any caller, or from none. */
function resumed(world: World, extra: Record<string, string>): fc.Arbitrary<Step> {
  const uris =
    Object.keys(extra).length === 0 ? fc.constant('/events') : fc.oneof(fc.constant('/events'), anyUri(world))
  return fc.tuple(uris, anyCredentials(world), fc.nat()).map(([uri, fields, at]) => (responses) => {
    const positions = responses.flatMap(({ fields: { Link }, text }) => positionsIn(`${Link} ${text}`))
    const token = positions[at % (positions.length + 1)]
    const query = token === undefined ? '' : `?last-event-id=${token}`
    return { line: `GET ${uri}${query}`, fields: { ...fields, ...extra } }
  })
}
