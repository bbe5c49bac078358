/** A service with collections of every kind of key, for the tests of target URIs. */

import { anyone, choice, date, email, integer, resource, service, text, uuid } from 'restwell'

export const open = { read: anyone, create: anyone, update: anyone, delete: anyone }

export const absentId = '019a0000-0000-7000-8000-000000000000'

export const shelf = service({
  title: 'Shelf',
  resources: {
    books: resource({ title: text() }, { access: open, formerly: ['tomes', 'volumes'] }),
    tags: resource({ name: text(), note: text().optional() }, { key: 'name', access: open }),
    numbers: resource({ n: integer(), note: text().optional() }, { key: 'n', access: open }),
    days: resource({ day: date() }, { key: 'day', access: open }),
    people: resource({ address: email() }, { key: 'address', access: open }),
    sizes: resource({ size: choice(['s', 'm']) }, { key: 'size', access: open }),
    marks: resource({ mark: uuid() }, { key: 'mark', access: open }),
  },
})
