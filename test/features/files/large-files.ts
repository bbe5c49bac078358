/** A definition with large files, for the tests of memory. */

import { anyone, file, resource, service, text } from 'restwell'

const access = { read: anyone, create: anyone, update: anyone, delete: anyone }

export default service({
  title: 'Films',
  resources: {
    films: resource({ title: text(), reel: file({ types: ['*/*'], max: '3 GB' }).optional() }, { access }),
  },
})
