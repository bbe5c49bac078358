/** /batch/{collection}: takes the form of a list that changes several items, each of them for itself. */

import type { Document } from '../context/target.ts'
import { refuse } from '../refusal.ts'
import { isListable } from '../view/form-input.ts'
import { collectionUri } from '../view/uri.ts'

export const selection: Document = {
  route: '/batch/{collection}',
  name: 'selection',
  personal: true,
  cache: 'no-store',
  methods: ['POST'],
  takesForm: true,
  async loadContent({ model }, caller, parameter = '') {
    const resource = model.resources.get(parameter)
    if (!resource || !isListable(resource, caller)) throw refuse('not-found')
    return { collection: collectionUri(model, resource), results: [] }
  },
}
