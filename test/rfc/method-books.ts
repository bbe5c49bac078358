/** A service with books, for the tests of methods and content. */

import { anyone, integer, nobody, resource, service, text } from 'restwell'

export const open = { read: anyone, create: anyone, update: anyone, delete: anyone }

export const books = service({
  title: 'Books',
  resources: {
    books: resource({ title: text({ max: 50 }), pages: integer().optional() }, { access: open }),
    pamphlets: resource({ title: text() }, { access: open, methods: ['GET', 'POST'] }),
    tracts: resource({ title: text() }, { access: { ...open, update: nobody } }),
  },
})

export const absent = '/books/019a0000-0000-7000-8000-000000000000'
