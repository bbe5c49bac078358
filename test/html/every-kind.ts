/** A resource with a field of every kind that an edit form can show, and values that browsers rewrite. */

import {
  anyone,
  boolean,
  choice,
  date,
  decimal,
  email,
  integer,
  json,
  list,
  number,
  password,
  resource,
  service,
  state,
  text,
  timestamp,
  url,
} from '../../src/index.ts'

const all = { read: anyone, create: anyone, update: anyone, delete: anyone }

export const everyField = {
  title: text({ min: 1, max: 50 }),
  body: text({ max: 20_000 }).optional(),
  count: integer().optional(),
  ratio: number().optional(),
  price: decimal({ scale: 2 }).optional(),
  done: boolean().optional(),
  kind: choice(['a', 'b']).default('a'),
  day: date().optional(),
  at: timestamp().optional(),
  address: email().optional(),
  site: url().optional(),
  tags: list(text({ max: 20 })).optional(),
  levels: list(choice(['low', 'high'])).optional(),
  extra: json().optional(),
  secret: password({ min: 8 }).optional(),
  phase: state({
    initial: 'open',
    transitions: {
      close: { from: 'open', to: 'closed', requires: ['body'] },
      reopen: { from: 'closed', to: 'open' },
    },
  }),
}

export const everyKind = service({
  title: 'Notes',
  resources: {
    notes: resource(everyField, { access: all }),
    replaced: resource(
      { title: text(), body: text().optional() },
      { access: all, methods: ['GET', 'POST', 'PUT', 'DELETE'] },
    ),
  },
})

export const wholeNote = {
  title: ' First ',
  body: '\na\r\nb\rc\nd\n',
  count: 7,
  ratio: 1e-7,
  price: '2.50',
  done: false,
  kind: 'b',
  day: '2026-02-28',
  at: '2026-02-28T12:30:00.000Z',
  address: 'ada@example.org',
  site: 'https://example.org/a?b=c',
  tags: ['x', ' y ', 'z\nz'],
  levels: ['high'],
  extra: { n: [1, { deep: null }], drop: true },
  secret: 'long enough',
}
