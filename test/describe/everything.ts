/** A definition with every kind of field and every option that a description mentions. */

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
  ref,
  refs,
  resource,
  role,
  service,
  signedIn,
  state,
  text,
  timestamp,
  url,
  uuid,
} from '../../src/index.ts'

const open = { read: anyone, create: signedIn, update: signedIn, delete: role('admin') }

export const everything = service({
  title: 'Everything',
  accounts: { resource: 'people', login: 'email', password: 'password', roles: 'roles' },
  resources: {
    people: resource(
      {
        email: email().unique().visibleTo(role('admin')),
        password: password(),
        roles: list(choice(['admin', 'other'])).default([]),
      },
      { methods: ['GET', 'QUERY'], access: { read: anyone }, headers: { 'X-Department': 'people' } },
    ),
    things: resource(
      {
        name: text({ min: 1, max: 20 }),
        code: text({ pattern: '^[A-Z]{2}[0-9]{1,4}$' }).optional(),
        mail: email().optional(),
        site: url().optional(),
        mark: uuid().optional(),
        size: integer({ min: -5, max: 5 }).default(0),
        weight: number({ min: 0, max: 10 }).optional(),
        price: decimal({ scale: 2, min: '0', max: '99.99' }).optional(),
        live: boolean().default(true),
        day: date().optional(),
        moment: timestamp().optional(),
        colour: choice(['red', 'green']).optional(),
        tags: list(text({ min: 1, max: 5 }), { max: 3, unique: true }).default([]),
        data: json().optional(),
        maker: ref('people').fromPrincipal(),
        parts: refs('parts', { max: 5 }),
        books: refs('books', { max: 2 }),
        serial: integer({ min: 0, max: 99 }).immutable().default(1),
        stage: state({
          initial: 'new',
          transitions: { use: { from: 'new', to: 'used' }, mend: { from: 'used', to: 'new' } },
        }),
      },
      { access: open, search: ['name'], tombstones: true },
    ),
    books: resource(
      { isbn: text({ pattern: '^[0-9]{3,6}$', max: 6 }), title: text({ max: 30 }) },
      { access: open, key: 'isbn', put: 'create', cache: { maxAge: 5 } },
    ),
    parts: resource(
      { label: text({ max: 9 }), hidden: text().visibleTo(role('admin')).optional() },
      { access: open, conditional: 'required', bulk: true },
    ),
  },
})
