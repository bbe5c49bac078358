/** Requests that filter, sort, search, count and aggregate. */

import fc from 'fast-check'
import { type Kind, request } from './step.ts'
import { anyCollection, anyDerived, anyField, anyPath, anySubCollection, anyUri } from './targets.ts'

export const queries = {
  'a filter, a count or a QUERY of a sub-collection': (world) =>
    fc.oneof(
      request(
        world,
        fc
          .tuple(anySubCollection(world), anyField, fc.constantFrom(...world.values, 'true', 'draft'))
          .map(([uri, field, value]) => `GET ${uri}?${field}=${encodeURIComponent(value)}`),
        fc.constantFrom<Record<string, string>>({}, { prefer: 'count=exact' }),
      ),
      request(
        world,
        anySubCollection(world).map((uri) => `QUERY ${uri}`),
        fc.constant({}),
        fc
          .tuple(anyField, fc.constantFrom(...world.values, true))
          .map(([field, value]) => ({ [field]: value })),
      ),
    ),
  'a filter': (world) =>
    request(
      world,
      fc
        .tuple(
          anyCollection,
          anyField,
          fc.constantFrom('', '[ne]', '[in]', '[starts]', '[contains]', '[gte]', '[missing]', '[nothing]'),
          fc.constantFrom(...world.values, 'true', 'draft', 'published'),
        )
        .map(
          ([uri, field, operator, value]) =>
            `GET ${uri}?${field}${encodeURIComponent(operator)}=${encodeURIComponent(value)}`,
        ),
    ),
  'an order': (world) =>
    request(
      world,
      fc
        .tuple(anyCollection, fc.constantFrom('', '-'), anyField)
        .map(([uri, sign, field]) => `GET ${uri}?sort=${sign}${field}`),
    ),
  'a search, a selection, an embedding': (world) =>
    request(
      world,
      fc
        .tuple(
          anyCollection,
          fc.constantFrom('q', 'fields', 'embed'),
          fc.oneof(anyField, fc.constantFrom(...world.values)),
        )
        .map(([uri, name, value]) => `GET ${uri}?${name}=${encodeURIComponent(value)}`),
    ),
  'a path in a filter, an order or an embedding': (world) =>
    request(
      world,
      fc
        .tuple(anyUri(world), anyPath, fc.constantFrom(...world.values, 'true', 'draft', 'published'))
        .chain(([uri, path, value]) =>
          fc
            .constantFrom(
              `${path}=${encodeURIComponent(value)}`,
              `${path}[ne]=${encodeURIComponent(value)}`,
              `${path}[missing]=true`,
              `sort=${path}&limit=1`,
              `sort=-${path}`,
              `embed=${path}`,
              `embed=${path}&limit=1`,
              `embed=${path}&format=hal`,
              `embed=${path}&format=xml`,
              `embed=${path}&format=html`,
            )
            .map((query) => `GET ${uri}?${query}`),
        ),
    ),
  'a path in a QUERY': (world) =>
    request(
      world,
      anyCollection.map((uri) => `QUERY ${uri}`),
      fc.constant({}),
      fc
        .tuple(anyPath, fc.constantFrom<unknown>(...world.values, { missing: true }, { missing: false }))
        .chain(([path, value]) => fc.constantFrom<unknown>({ [path]: value }, { not: { [path]: value } })),
    ),
  'a derived field': (world) =>
    request(
      world,
      fc
        .tuple(
          fc.oneof(anyUri(world), fc.constantFrom('/articles', '/users')),
          anyDerived,
          fc.constantFrom('0', '1', '2', '2026-01-01T00:00:00Z'),
        )
        .chain(([uri, name, value]) =>
          fc
            .constantFrom(
              `fields=${name}`,
              `fields=${name}&format=csv`,
              `fields=title,${name}&format=html`,
              `${name}=${value}`,
              `${name}[gte]=${value}&limit=1`,
              `${name}[missing]=true`,
              `author.${name}[lt]=${value}`,
              `sort=${name}&limit=1`,
              `sort=-${name}`,
              `sort=author.${name}&limit=1`,
            )
            .map((query) => `GET ${uri}?${query}`),
        ),
    ),
  'a filter by a set': (world) =>
    request(
      world,
      fc
        .tuple(
          fc.constantFrom('articles', 'kept'),
          fc.constantFrom('[has]', '[missing]', '.title', '.secret', '.status', '.author.name'),
          fc.constantFrom(...world.articles, 'true', 'draft', 'Hidden in two', 'two'),
        )
        .map(
          ([set, end, value]) => `GET /folders?${encodeURIComponent(set + end)}=${encodeURIComponent(value)}`,
        ),
    ),
  'a count': (world) =>
    request(
      world,
      anyCollection.map((uri) => `GET ${uri}?limit=1`),
      fc.constant({ prefer: 'count=exact' }),
    ),
  'an aggregation': (world) =>
    request(
      world,
      fc
        .tuple(
          anyCollection,
          fc.constantFrom('', '', 'group-by='),
          fc.oneof(anyField, fc.constantFrom('createdAt.year', 'author.month')),
          fc.constantFrom('count', 'createdAt.max', 'count,updatedAt.min', 'secret.sum', 'nothing.sum'),
          fc.constantFrom('', '&sort=-count', '&format=csv', '&format=html', '&status=draft', '&limit=1'),
          fc.constantFrom(['GET', '/-/aggregate'], ['HEAD', '/-/aggregate'], ['GET', '']),
        )
        .map(([uri, group, field, aggregate, rest, [method, path]]) => {
          const groups = group === '' ? '' : `${group}${field}&`
          return `${method} ${uri}${path}?${groups}aggregate=${aggregate}${rest}`
        }),
    ),
  'a QUERY': (world) =>
    request(
      world,
      anyCollection.map((uri) => `QUERY ${uri}`),
      fc.constant({}),
      fc
        .tuple(
          anyField,
          fc.constantFrom('eq', 'ne', 'in', 'starts', 'missing', 'any', 'not'),
          fc.constantFrom(...world.values, true, null),
        )
        .map(([field, operator, value]) => {
          if (operator === 'any') return { any: [{ [field]: value }, { title: 'His' }] }
          if (operator === 'not') return { not: { [field]: value } }
          return {
            [field]: operator === 'eq' ? value : { [operator]: operator === 'in' ? [value] : value },
          }
        }),
    ),
} satisfies Readonly<Record<string, Kind>>
