/** A definition with every kind that can be filtered by, and random items of it. */

import fc from 'fast-check'
import {
  anyone,
  boolean,
  choice,
  decimal,
  integer,
  list,
  number,
  ref,
  refs,
  resource,
  service,
  text,
  timestamp,
} from 'restwell'

const everyone = { read: anyone, create: anyone, update: anyone, delete: anyone }

const shelves = resource(
  { code: text({ max: 20 }), floor: integer().optional() },
  { key: 'code', access: everyone },
)

const people = resource(
  { name: text({ max: 50 }).optional(), shelf: ref('shelves').optional() },
  { access: everyone, index: ['name'] },
)

const books = resource(
  {
    title: text({ max: 100 }).optional(),
    pages: integer().optional(),
    price: decimal({ scale: 2 }).optional(),
    weight: number().optional(),
    lent: boolean().optional(),
    genre: choice(['a', 'b', 'c']),
    due: timestamp().optional(),
    tags: list(text({ max: 20 })).default([]),
    author: ref('people', { inverse: 'books' }).optional(),
    shelf: ref('shelves', { inverse: 'volumes' }).optional(),
    editors: refs('people'),
    copies: refs('shelves'),
  },
  { access: everyone, search: ['title'], index: ['pages', ['genre', 'createdAt']], bulk: true },
)

export default service({ title: 'Library', resources: { shelves, people, books } })

// biome-ignore format: one list
export const words = ['', 'a', 'A', 'ab', 'aB', 'a b', '%', '_', "'", '"', '\\', 'é', 'É', 'a,b', '😀', '～', 'Σας', 'σΑΣ', 'ß', 'ẞ', 'SS', 'ı', 'İ', 'i', '\u212A', 'k', '*', '?', '[a]', '^a', '(?i)', '.']
export const prices = ['0.00', '-1.50', '1.50', '10.00', '9999999999999999.99']
export const moments = ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.001Z', '1999-12-31T23:59:59.999Z']
export const codes = ['A', 'B', 'a', 'Z9']

/** Members left out where undefined; references by their place in their own list. */
export const book = fc.record(
  {
    title: fc.constantFrom(...words),
    pages: fc.integer({ min: -3, max: 3 }),
    price: fc.constantFrom(...prices),
    weight: fc.constantFrom(-1.5, 0, 0.1, 1e300),
    lent: fc.boolean(),
    genre: fc.constantFrom('a', 'b', 'c'),
    due: fc.constantFrom(...moments),
    tags: fc.array(fc.constantFrom(...words), { maxLength: 3 }),
    author: fc.nat(5),
    shelf: fc.constantFrom(...codes),
    editors: fc.uniqueArray(fc.nat(5), { maxLength: 3 }),
    copies: fc.uniqueArray(fc.constantFrom(...codes), { maxLength: 3 }),
  },
  { requiredKeys: ['genre', 'tags'] },
)
