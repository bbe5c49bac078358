/** Requests that read: documents of the service, lists, items, formats. */

import fc from 'fast-check'

import { uuid } from '../rows.ts'
import { anyCredentials, type Kind, request, type Step, type World } from './step.ts'
import { anyCollection, anyItem, anySubCollection, anyUri } from './targets.ts'

export const reads = {
  'the entry point and its documents': (world) =>
    request(
      world,
      fc.constantFrom(
        'GET /',
        'HEAD /',
        'GET /problems',
        'GET /problems/forbidden',
        'GET /relations',
        'GET /relations/vaults',
        'GET /relations/owner',
        'GET /nothing',
        'GET /article',
        'GET /vault',
        'GET /case/x',
        'GET /audit',
        'GET /-/session',
        'GET /vaults/',
      ),
    ),
  'what can be done somewhere': (world) =>
    request(
      world,
      anyUri(world).map((uri) => `OPTIONS ${uri}`),
    ),
  'methods that are not offered': (world) =>
    request(
      world,
      fc
        .tuple(fc.constantFrom('PUT', 'DELETE', 'PATCH', 'TRACE'), anyCollection)
        .map(([method, uri]) => `${method} ${uri}`),
    ),
  'a list': (world) =>
    request(
      world,
      fc
        .tuple(anyCollection, fc.constantFrom('', '?limit=1', '?limit=2', '?limit=1000', '?limit=0'))
        .map(([uri, query]) => `GET ${uri}${query}`),
    ),
  'the links of a list, an item or a sub-collection': (world) =>
    request(
      world,
      fc
        .tuple(
          fc.constantFrom('GET', 'HEAD', 'OPTIONS', 'PUT'),
          fc.oneof(anyCollection, anyItem(world), anySubCollection(world)),
          fc.constantFrom(
            '/-/links',
            '/%2D/links',
            '/-/nothing',
            '/-',
            '/-/links?format=linkset',
            '/-/links?sort=x',
          ),
        )
        .map(([method, uri, end]) => `${method} ${uri}${end}`),
    ),
  'a sub-collection': (world) =>
    request(
      world,
      fc
        .tuple(
          fc.constantFrom('GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'),
          anySubCollection(world),
          fc.constantFrom(
            '',
            '?limit=1',
            '?sort=-id',
            '?format=html',
            '?format=csv',
            '?embed=author',
            '?q=x',
          ),
        )
        .map(([method, uri, query]) => `${method} ${uri}${query}`),
    ),
  'the next page': (world) => follow(world),
  'an item': (world) =>
    request(
      world,
      fc.tuple(fc.constantFrom('GET', 'HEAD'), anyItem(world)).map(([method, uri]) => `${method} ${uri}`),
    ),
  'what an account may do with an item, and a page as it sees it': (world) =>
    request(
      world,
      fc
        .tuple(
          fc.constantFrom('GET', 'GET', 'HEAD', 'OPTIONS', 'PUT'),
          fc.oneof(anyCollection, anyItem(world)),
          fc.constantFrom(
            '/-/access?account=x',
            '/-/access',
            `/-/access?account=${uuid(2)}`,
            `/-/preview?as-account=${uuid(2)}`,
            '/-/preview?as-role=admin',
            '/-/preview?format=html',
          ),
        )
        .map(([method, uri, end]) => `${method} ${uri}${end}`),
    ),
  'an account that is found by its login': (world) =>
    request(
      world,
      fc
        .tuple(anyItem(world), fc.constantFrom('access', 'preview'))
        .map(([uri, name]) => `POST ${uri}/-/${name}`),
      fc.constant({}),
      fc.constantFrom(...world.logins).map((login) => ({ login })),
    ),
  'an item or list under a condition': (world) => conditional(world),
  'a format': (world) =>
    request(
      world,
      fc
        .tuple(anyUri(world), fc.constantFrom('json', 'xml', 'hal', 'csv', 'ndjson', 'html', 'nothing'))
        .map(([uri, format]) => `GET ${uri}?format=${format}`),
    ),
  'another media type': (world) =>
    request(
      world,
      anyUri(world).map((uri) => `GET ${uri}`),
      fc
        .constantFrom(
          'application/xml',
          'application/hal+json',
          'application/prs.hal-forms+json',
          'text/csv',
          'application/x-ndjson',
          'image/png',
        )
        .map((accept) => ({ accept })),
    ),
  'reads in an older version': (world) =>
    request(
      world,
      fc
        .tuple(
          fc.oneof(anyItem(world), anyCollection, anySubCollection(world), fc.constant('/events')),
          fc.constantFrom(
            '',
            '&sort=words',
            '&hidden=x',
            '&secret=x',
            '&fields=all',
            '&sort=phase',
            '&mail=x',
            '&embed=author',
          ),
        )
        .map(([path, query]) => `GET ${path}?api-version=v1${query}`),
    ),
} satisfies Readonly<Record<string, Kind>>

/** A link of the latest response with links. */
function follow(world: World): fc.Arbitrary<Step> {
  return fc.tuple(anyCredentials(world), fc.nat()).map(([fields, at]) => (responses) => {
    const links = responses.flatMap(({ fields: { Link } }) => [...String(Link ?? '').matchAll(/<([^>]*)>/g)])
    return { line: `GET ${links[at % links.length]?.[1] ?? '/'}`, fields }
  })
}

/** With an entity tag of an earlier response to any caller. */
function conditional(world: World): fc.Arbitrary<Step> {
  return fc.tuple(anyUri(world), anyCredentials(world), fc.nat()).map(([uri, fields, at]) => (responses) => {
    const tags = responses.flatMap(({ fields: { ETag } }) => (ETag === undefined ? [] : [String(ETag)]))
    const tag = tags[at % tags.length] ?? '"1"'
    return { line: `GET ${uri}`, fields: { ...fields, 'if-none-match': tag } }
  })
}
