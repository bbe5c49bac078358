/** The definition that is measured: one open resource of the usual size. */

import { anyone, integer, list, resource, service, text } from 'restwell'

const notes = resource(
  {
    title: text({ max: 200 }),
    body: text({ max: 10_000 }),
    tags: list(text({ max: 30 }), { max: 20 }).default([]),
    stars: integer({ min: 0 }).default(0),
  },
  { access: { read: anyone, create: anyone, update: anyone, delete: anyone } },
)

export default service({ title: 'Notes', resources: { notes } })
